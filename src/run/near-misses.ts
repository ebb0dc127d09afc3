import { BoundedMap } from "../terms/bounded-map.ts";
import type { JsonObject } from "../terms/json.ts";
import { resembles } from "../terms/resembles.ts";
import type { Planned } from "./plan.ts";
import type { RunnableSource } from "./ports.ts";

const NAMES_LOOKED_AT_MAX = 20;
const NAME_CHARS_MAX = 64;
/** Names remembered for each source. */
const NAMES_REMEMBERED_MAX = 200;

/** Looks for misspelled inputs of a run and notes them at its calls. */
export type NoteNearMisses = (plan: readonly Planned[], inputs: JsonObject) => void;

/**
 * Finds input names that no source of the run declares although they resemble one: probably misspelled. The answer stays
 * silent about them, as specified; the log is where its author finds out. Callers send the same names run after run, so
 * what each resembles is remembered.
 */
export function createNearMisses(): NoteNearMisses {
  const remembered = new WeakMap<RunnableSource, BoundedMap<string, string | null>>();

  function meantBy(name: string, source: RunnableSource): string | null {
    let names = remembered.get(source);
    if (names === undefined) remembered.set(source, (names = new BoundedMap(NAMES_REMEMBERED_MAX)));
    let meant = names.get(name);
    if (meant === undefined) {
      meant = source.inputNames.find((declared) => resembles(name, declared)) ?? null;
      names.set(name, meant);
    }
    return meant;
  }

  return (plan, inputs) => {
    const unclaimed = Object.keys(inputs).filter(
      (name) => !plan.some(({ source }) => source?.inputNames.includes(name) === true),
    );
    for (const name of unclaimed.slice(0, NAMES_LOOKED_AT_MAX)) {
      if (name.length > NAME_CHARS_MAX) continue;
      for (const { source, call } of plan) {
        const meant = source === undefined ? null : meantBy(name, source);
        if (meant !== null) call.nearMisses = [...call.nearMisses, `${name} (${meant}?)`];
      }
    }
  };
}
