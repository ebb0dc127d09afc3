import { ShortId } from "./short-id.tsx";
import "./named.css";
import "./object-link.css";

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
      {href === undefined ? (
        <span class="named-name" title={name}>
          {shown}
        </span>
      ) : (
        <a class="named-name" href={href} title={name}>
          {shown}
        </a>
      )}
      <span class="dim">
        <ShortId id={id} />
      </span>
    </div>
  );
}
