import type { JsonObject } from "../terms/json.ts";
import { resembles } from "../terms/nearest.ts";
import type { NearMiss, RunObserver } from "./ports.ts";

/** Limits on the work that one run may cause for a line in the log. */
const NAMES_MAX = 5;
const COMPARISONS_MAX = 300;
const NAME_CHARS_MAX = 64;

/** A source of a run, or its function. */
export interface Asked {
  readonly id: string;
  readonly inputNames: readonly string[];
}

/**
 * Finds input names that no source or function of the run declares but that resemble a declared one, so are probably
 * misspelled. The answer does not mention them, as specified; the author finds out from the log. The caller chooses
 * both the names and the sources, so this checks only the first few names, and it runs after the answer was sent.
 */
export function nearMisses(asked: readonly Asked[], inputs: JsonObject): readonly NearMiss[] {
  const declared = new Set(asked.flatMap(({ inputNames }) => inputNames));
  const found: NearMiss[] = [];
  let comparisonsLeft = COMPARISONS_MAX;
  for (const name of firstUnclaimed(inputs, declared)) {
    for (const { id, inputNames } of asked) {
      for (const meant of inputNames) {
        if ((comparisonsLeft -= 1) < 0) return found;
        if (!resembles(name, meant)) continue;
        found.push({ id, name, meant });
        break;
      }
    }
  }
  return found;
}

/** Tells them to the observers, if there are any. */
export function noteNearMisses(
  transactionId: string,
  asked: readonly Asked[],
  inputs: JsonObject,
  observers: readonly RunObserver[],
): void {
  const found = nearMisses(asked, inputs);
  if (found.length > 0) for (const observer of observers) observer.inputsMisspelled?.(transactionId, found);
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
