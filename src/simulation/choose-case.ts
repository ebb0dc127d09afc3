import { isDeepStrictEqual } from "node:util";
import type { SourceCase } from "../sdk/source.ts";
import type { JsonObject } from "../terms/json.ts";

/**
 * Which case answers these inputs: the one with equal inputs, and of several the one that shows no failure; failing that, the one with a record that shares most
 * inputs, so that a simulated workflow goes on with an example. Nothing invented can be taken for an answer: the run is
 * marked as simulated wherever it is seen. `null` for a source that has no case with a record.
 */
export function chooseCase(cases: readonly SourceCase[], inputs: JsonObject): SourceCase | null {
  const given = Object.fromEntries(Object.entries(inputs));
  const equal = cases.filter((each) => isDeepStrictEqual(each.inputs, given));
  if (equal.length > 0) return equal.find(({ expect }) => "match" in expect) ?? equal[0]!;
  let best: SourceCase | null = null;
  let bestLikeness = -1;
  for (const each of cases) {
    const likeness = likenessOf(each.inputs, given);
    if ("match" in each.expect && each.expect.match && likeness > bestLikeness) {
      best = each;
      bestLikeness = likeness;
    }
  }
  return best;
}

/** Inputs that are shared; of as many, whether the same are given: an order's number asks for another road than a name. */
function likenessOf(inputs: JsonObject, given: JsonObject): number {
  const shared = Object.entries(inputs).filter(([name, value]) => isDeepStrictEqual(given[name], value)).length;
  const asksAlike = isDeepStrictEqual(Object.keys(inputs).sort(), Object.keys(given).sort());
  return shared + (asksAlike ? 0.5 : 0);
}

/** The case that shows what "no record" looks like. */
export function noRecordCase(cases: readonly SourceCase[]): SourceCase | null {
  return cases.find(({ expect }) => "match" in expect && !expect.match) ?? null;
}
