import type { ScriptedReply } from "../sdk/source.ts";
import { Fault } from "../terms/fault.ts";
import { isJsonObject, type JsonObject } from "../terms/json.ts";
import { resembles } from "../terms/nearest.ts";

/** What a caller may ask a simulated vendor to do instead of answering. */
export const MAGIC = [
  "no_record",
  "slow",
  "vendor_5xx",
  "vendor_4xx",
  "rate_limited",
  "credential",
  "malformed",
  "timeout",
  "connection_lost",
] as const;
export type Magic = (typeof MAGIC)[number];

/** The undeclared input that asks for it: `simulate: "timeout"`, or `simulate: {acme__people: "timeout"}` for one source. */
export const MAGIC_INPUT = "simulate";
const MAGIC_VALUE = /^simulate:(.*)$/s;

/** How long `slow` keeps its answer back. */
export const SLOW_MS = 2_000;

/**
 * What the inputs ask for: by the input `simulate`, which the filter drops on every real path, or by a declared input
 * whose whole value is `simulate:timeout` or the like, which also survives a function that picks its inputs.
 * @throws Fault `source.input_invalid` for what means nothing, be it a value or the id of a source that there is none of:
 * silently answered, it would pass for a vendor that is well
 */
export function magicOf(source: string, inputs: JsonObject, isSource: (id: string) => boolean): Magic | null {
  const asked = inputs[MAGIC_INPUT];
  if (isJsonObject(asked)) refuseUnknownSources(Object.keys(asked), source, isSource);
  const named = isJsonObject(asked) ? asked[source] : asked;
  if (named !== undefined && named !== null) return known(named, MAGIC_INPUT);
  for (const [name, value] of Object.entries(inputs)) {
    const found = typeof value === "string" ? MAGIC_VALUE.exec(value)?.[1] : undefined;
    if (found !== undefined) return known(found, name);
  }
  return null;
}

/** The id is the caller's text and not repeated; the source that was probably meant is ours to name. */
function refuseUnknownSources(ids: readonly string[], source: string, isSource: (id: string) => boolean): void {
  const unknown = ids.filter((id) => id !== source && !isSource(id));
  if (unknown.length === 0) return;
  const isMeant = unknown.some((id) => id.length <= 2 * source.length && resembles(id, source));
  throw new Fault("source.input_invalid", {
    field: MAGIC_INPUT,
    problem: `names a source that does not exist${isMeant ? ` (${source}?)` : ""}`,
  });
}

function known(asked: unknown, field: string): Magic {
  if (isMagic(asked)) return asked;
  throw new Fault("source.input_invalid", {
    field,
    problem: `asks for what cannot be simulated: it may be ${MAGIC.join(", ")}`,
  });
}

export function isMagic(value: unknown): value is Magic {
  return (MAGIC as readonly unknown[]).includes(value);
}

/** The reply that stands for a failure; `null` for what is an answer after all. */
export function magicReply(magic: Magic): ScriptedReply | null {
  switch (magic) {
    case "vendor_5xx":
      return { status: 503, body: "<h1>Service Unavailable</h1>" };
    case "vendor_4xx":
      return { status: 418, body: {} };
    case "rate_limited":
      return { status: 429, body: {} };
    case "credential":
      return { status: 401, body: {} };
    case "malformed":
      return { status: 200, headers: { "content-type": "application/json" }, body: '{"cut": "of' };
    case "timeout":
      return { fault: "hang" };
    case "connection_lost":
      return { fault: "reset" };
    case "no_record":
    case "slow":
      return null;
  }
}
