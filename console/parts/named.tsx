import { ShortId } from "./short-id.tsx";
import "./named.css";

interface NamedProps {
  readonly id: string;
  /** Empty if it has no name. */
  readonly name: string;
  readonly href?: string;
}

/** A name with the end of its id below. */
export function Named({ id, name, href }: NamedProps) {
  const shown = name === "" ? <span class="dim">no name</span> : <bdi>{name}</bdi>;
  return (
    <div class="named">
      {href === undefined ? <span>{shown}</span> : <a href={href}>{shown}</a>}
      <span class="dim">
        <ShortId id={id} />
      </span>
    </div>
  );
}
