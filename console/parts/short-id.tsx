import { Copy } from "./copy.tsx";
import { Id } from "./values.tsx";
import "./short-id.css";

/** Characters at the end of an id that distinguish it: the beginning only encodes its time. */
const SHOWN = 8;

/** A prefix and a UUIDv7. Ids that authors or callers chose are words, and shown in full. */
const GENERATED = /^[a-z]+_[0-9a-f]{32}$/;

interface ShortIdProps {
  readonly id: string;
  readonly href?: string;
}

/** The end of a generated id, with a button that copies the whole id. */
export function ShortId({ id, href }: ShortIdProps) {
  if (!GENERATED.test(id)) return <Id {...(href !== undefined && { href })}>{id}</Id>;
  return (
    <span class="short-id" title={id}>
      <Id {...(href !== undefined && { href })}>{`${id.slice(0, id.indexOf("_") + 1)}…${id.slice(-SHOWN)}`}</Id>
      <Copy text={id} about={id} />
    </span>
  );
}
