import { Copy } from "./copy.tsx";
import { Id } from "./values.tsx";
import "./short-id.css";

/** Characters at the end of an id that distinguish it: the beginning only encodes its time. */
const SHOWN = 8;

interface ShortIdProps {
  readonly id: string;
  readonly href?: string;
}

/** The end of an id, with a button that copies the whole id. */
export function ShortId({ id, href }: ShortIdProps) {
  return (
    <span class="short-id" title={id}>
      <Id {...(href !== undefined && { href })}>{shortened(id)}</Id>
      <Copy text={id} about={id} />
    </span>
  );
}

export function shortened(id: string): string {
  const end = id.indexOf("_") + 1;
  return id.length - end <= SHOWN ? id : `${id.slice(0, end)}…${id.slice(-SHOWN)}`;
}
