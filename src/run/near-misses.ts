import type { JsonObject } from "../terms/json.ts";
import { resembles } from "../terms/resembles.ts";
import type { Planned } from "./plan.ts";

const NAMES_LOOKED_AT_MAX = 20;
const NAME_CHARS_MAX = 64;

/**
 * Finds input names that no source of the run declares although they resemble one: probably misspelled. The answer stays
 * silent about them, as specified; the log is where its author finds out.
 */
export function noteNearMisses(plan: readonly Planned[], inputs: JsonObject): void {
  const unclaimed = Object.keys(inputs).filter(
    (name) => !plan.some(({ source }) => source?.inputNames.includes(name) === true),
  );
  for (const name of unclaimed.slice(0, NAMES_LOOKED_AT_MAX)) {
    if (name.length > NAME_CHARS_MAX) continue;
    for (const { source, call } of plan) {
      const meant = source?.inputNames.find((declared) => resembles(name, declared));
      if (meant !== undefined) call.nearMisses = [...call.nearMisses, `${name} (${meant}?)`];
    }
  }
}
