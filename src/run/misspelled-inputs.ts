import { BoundedMap } from "../terms/collections/bounded-map.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { resembles } from "../terms/text/nearest.ts";
import type { MisspelledInput, RunObserver } from "./ports.ts";

/** Limits on the work that one run may cause for a line in the log. */
const NAMES_MAX = 5;
const COMPARISONS_MAX = 300;
const NAME_CHARS_MAX = 64;
/** Names that are cached for each source. */
const COMPARED_MAX = 100;

/** A source of a run, or its function, with the names that it declares. */
export interface DeclaredInputs {
  readonly id: string;
  readonly inputNames: readonly string[];
}

/** A cache by list of declared names: the declared name that an input's name resembles, or `null`. */
type ResemblanceCache = WeakMap<readonly string[], BoundedMap<string, string | null>>;

/**
 * Finds input names that no source or function of the run declares but that resemble a declared one: they are probably
 * misspelled. By the specification the answer does not mention them, so they are reported to the log. The caller chooses
 * the names and the sources, so only the first few names are compared, after the answer was sent. Results are cached,
 * because runs repeat the same names.
 */
export function findMisspelledInputs(
  declarations: readonly DeclaredInputs[],
  inputs: JsonObject,
  compared: ResemblanceCache = new WeakMap(),
): readonly MisspelledInput[] {
  const declared = new Set(declarations.flatMap(({ inputNames }) => inputNames));
  const found: MisspelledInput[] = [];
  let comparisonsLeft = COMPARISONS_MAX;
  for (const name of firstUnclaimed(inputs, declared)) {
    for (const { id, inputNames } of declarations) {
      const known = cacheOf(compared, inputNames);
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

function cacheOf(compared: ResemblanceCache, inputNames: readonly string[]): BoundedMap<string, string | null> {
  let known = compared.get(inputNames);
  if (known === undefined) compared.set(inputNames, (known = new BoundedMap(COMPARED_MAX)));
  return known;
}

/** Creates the function that reports misspelled inputs to the observers. */
export function createMisspelledInputReporter(observers: readonly RunObserver[]) {
  const compared: ResemblanceCache = new WeakMap();
  return (transactionId: string, declarations: readonly DeclaredInputs[], inputs: JsonObject): void => {
    const found = findMisspelledInputs(declarations, inputs, compared);
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
