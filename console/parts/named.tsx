import { Id } from "./values.tsx";
import "./named.css";

interface NamedProps {
  readonly id: string;
  /** Empty if it has no name. */
  readonly name: string;
  readonly href?: string;
}

/** A name with its id below, for lists in which people search for both. */
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
