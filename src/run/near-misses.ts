import type { JsonObject } from "../terms/json.ts";
import { resembles } from "../terms/nearest.ts";
import type { Planned } from "./call.ts";
import type { NearMiss } from "./ports.ts";

/** What one run may cost for the sake of a line in the log. */
const NAMES_MAX = 5;
const COMPARISONS_MAX = 300;
const NAME_CHARS_MAX = 64;

/**
 * Finds input names that no source of the run declares although they resemble one: probably misspelled. The answer stays
 * silent about them, as specified; the log is where its author finds out. Both the names and the sources are the caller's
 * choice, so this looks at the first few names only, and is for when the answer is out.
 */
export function nearMisses(plan: readonly Planned[], inputs: JsonObject): readonly NearMiss[] {
  const declared = new Set(plan.flatMap(({ source }) => source?.inputNames ?? []));
  const found: NearMiss[] = [];
  let comparisonsLeft = COMPARISONS_MAX;
  for (const name of firstUnclaimed(inputs, declared)) {
    for (const { source, call } of plan) {
      for (const meant of source?.inputNames ?? []) {
        if ((comparisonsLeft -= 1) < 0) return found;
        if (!resembles(name, meant)) continue;
        found.push({ source: call.id, name, meant });
        break;
      }
    }
  }
  return found;
}

function firstUnclaimed(inputs: JsonObject, declared: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  for (const name in inputs) {
    if (declared.has(name) || name.length > NAME_CHARS_MAX) continue;
    names.push(name);
    if (names.length === NAMES_MAX) break;
  }
  return names;
}
