import { BoundedMap } from "../terms/bounded-map.ts";
import type { JsonObject } from "../terms/json.ts";
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

/** One slip for short names, two for longer ones; case and the kind of separator do not count. */
export function resembles(name: string, declared: string): boolean {
  const a = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const b = declared.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const slips = b.length <= 4 ? 1 : 2;
  return a !== "" && Math.abs(a.length - b.length) <= slips && editDistance(a, b) <= slips;
}

/** Insertions, deletions, changes and swaps of neighbours that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}
