import { Fault } from "../terms/fault.ts";
import type { Answer, PlannedCall } from "./ports.ts";

/** Text up to this many units stays text. A larger one is kept as the bytes it will leave as: text may take up to twice its bytes. */
const TEXT_UNITS_MAX = 64 * 1024;

/**
 * Counts a call's output in the place of the replies that it was made of: `call.heldBytes` is what it takes in the answer
 * then, as JSON text in UTF-8. No room for it costs this call alone.
 * @throws Fault `source.no_room_for_answer`
 */
export function keepOutput(call: PlannedCall, answer: Answer): Answer {
  if (!call.keepOnly(byteLength(answer.json))) throw new Fault("source.no_room_for_answer");
  const json = toKept(answer.json);
  return json === answer.json ? answer : { match: answer.match, json };
}

/** In the form in which it takes as much memory as it is counted for. */
export function toKept(json: string | Buffer): string | Buffer {
  return typeof json === "string" && json.length > TEXT_UNITS_MAX ? Buffer.from(json) : json;
}

export function byteLength(json: string | Buffer): number {
  return typeof json === "string" ? Buffer.byteLength(json) : json.length;
}
