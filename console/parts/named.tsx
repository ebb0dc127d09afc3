import { Id } from "./values.tsx";
import "./named.css";

interface NamedProps {
  readonly id: string;
  /** Empty if nobody has given one. */
  readonly name: string;
  readonly href?: string;
}

/** A name with the id below it, for a list in which both are looked for. */
export function Named({ id, name, href }: NamedProps) {
  const shown = name === "" ? <span class="dim">no name</span> : <bdi>{name}</bdi>;
  return (
    <div class="named">
      {href === undefined ? <span>{shown}</span> : <a href={href}>{shown}</a>}
      <span class="dim">
        <Id>{id}</Id>
      </span>
    </div>
  );
}
