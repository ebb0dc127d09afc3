import type { ScriptedReply } from "../sdk/source.ts";
import { Fault } from "../terms/fault.ts";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { resembles } from "../terms/text/nearest.ts";

/**
 * The behaviours that a caller may request from a simulated vendor instead of a record, each with the reply that
 * simulates it; `null` if a case gives the reply.
 */
export const MAGIC_REPLIES = {
  no_record: null,
  slow: null,
  vendor_5xx: { status: 503, body: "<h1>Service Unavailable</h1>" },
  vendor_4xx: { status: 418, body: {} },
  rate_limited: { status: 429, body: {} },
  credential: { status: 401, body: {} },
  malformed: { status: 200, headers: { "content-type": "application/json" }, body: '{"cut": "of' },
  timeout: { fault: "hang" },
  connection_lost: { fault: "reset" },
} satisfies Readonly<Record<string, ScriptedReply | null>>;

export type Magic = keyof typeof MAGIC_REPLIES;
export const MAGIC = Object.keys(MAGIC_REPLIES) as readonly Magic[];

/**
 * The undeclared input for such a request: `simulate: "timeout"`, or `simulate: {acme__people: "timeout"}` for one
 * source.
 */
const MAGIC_INPUT = "simulate";
const MAGIC_VALUE = /^simulate:(.*)$/s;

/** Delay of a reply with `slow`, in milliseconds. */
export const SLOW_MS = 2_000;

/**
 * The requested behaviour: from the input `simulate`, which real runs drop as undeclared, or from a declared input
 * whose whole value has the form `simulate:timeout`. The second form also passes through a function that selects its
 * inputs.
 * @throws Fault `source.input_invalid` for an unknown value or source id. If it were ignored, the caller would take an
 * ordinary answer for the failure
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

/** The message does not repeat the id, which is the caller's text. It may name the source that was probably meant. */
function refuseUnknownSources(ids: readonly string[], source: string, isSource: (id: string) => boolean): void {
  const unknown = ids.filter((id) => id !== source && !isSource(id));
  if (unknown.length === 0) return;
  const isMeant = unknown.some((id) => id.length <= 2 * source.length && resembles(id, source));
  throw new Fault("source.input_invalid", {
    field: MAGIC_INPUT,
    problem: `names a source that does not exist${isMeant ? `; did you mean "${source}"?` : ""}`,
  });
}

function known(asked: unknown, field: string): Magic {
  if (isMagic(asked)) return asked;
  throw new Fault("source.input_invalid", {
    field,
    problem: `must be one of ${MAGIC.join(", ")}`,
  });
}

export function isMagic(value: unknown): value is Magic {
  return (MAGIC as readonly unknown[]).includes(value);
}
