import type { JsonObject } from "../terms/json.ts";
import { resembles } from "../terms/nearest.ts";
import type { NearMiss, RunObserver } from "./ports.ts";

/** What one run may cost for the sake of a line in the log. */
const NAMES_MAX = 5;
const COMPARISONS_MAX = 300;
const NAME_CHARS_MAX = 64;

/** A source of a run, or its function. */
export interface Asked {
  readonly id: string;
  readonly inputNames: readonly string[];
}

/**
 * Finds input names that nobody who was asked declares although they resemble one that is: probably misspelled. The answer
 * stays silent about them, as specified; the log is where its author finds out. Both the names and who is asked are the
 * caller's choice, so this looks at the first few names only, and is for when the answer is out.
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

/** Tells them to who observes, if there are any. */
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
