import { BoundedMap } from "../terms/bounded-map.ts";
import type { JsonObject } from "../terms/json.ts";
import { resembles } from "../terms/nearest.ts";
import type { NearMiss, RunObserver } from "./ports.ts";

/** Limits on the work that one run may cause for a line in the log. */
const NAMES_MAX = 5;
const COMPARISONS_MAX = 300;
const NAME_CHARS_MAX = 64;
/** Remembered for each source. */
const COMPARED_MAX = 100;

/** A source of a run, or its function. */
export interface Asked {
  readonly id: string;
  readonly inputNames: readonly string[];
}

/** What a name resembles, by the list of declared names; `null` if nothing. */
type Compared = WeakMap<readonly string[], BoundedMap<string, string | null>>;

/**
 * Finds input names that no source or function of the run declares but that resemble a declared one, so are probably
 * misspelled. The answer does not mention them, as specified; the author finds out from the log. The caller chooses
 * both the names and the sources, so this checks only the first few names, and it runs after the answer was sent. The
 * same names come with run after run, so it remembers what it has compared.
 */
export function nearMisses(
  asked: readonly Asked[],
  inputs: JsonObject,
  compared: Compared = new WeakMap(),
): readonly NearMiss[] {
  const declared = new Set(asked.flatMap(({ inputNames }) => inputNames));
  const found: NearMiss[] = [];
  let comparisonsLeft = COMPARISONS_MAX;
  for (const name of firstUnclaimed(inputs, declared)) {
    for (const { id, inputNames } of asked) {
      const known = knownOf(compared, inputNames);
      let meant = known.get(name);
      if (meant === undefined) {
        meant = null;
        for (const candidate of inputNames) {
          if ((comparisonsLeft -= 1) < 0) return found;
          if (!resembles(name, candidate)) continue;
          meant = candidate;
          break;
        }
        known.set(name, meant);
      }
      if (meant !== null) found.push({ id, name, meant });
    }
  }
  return found;
}

function knownOf(compared: Compared, inputNames: readonly string[]): BoundedMap<string, string | null> {
  let known = compared.get(inputNames);
  if (known === undefined) compared.set(inputNames, (known = new BoundedMap(COMPARED_MAX)));
  return known;
}

/** Makes what tells them to the observers, if there are any. */
export function createNearMissNote(observers: readonly RunObserver[]) {
  const compared: Compared = new WeakMap();
  return (transactionId: string, asked: readonly Asked[], inputs: JsonObject): void => {
    const found = nearMisses(asked, inputs, compared);
    if (found.length > 0) for (const observer of observers) observer.inputsMisspelled?.(transactionId, found);
  };
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
