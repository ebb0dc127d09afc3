import { isDeepStrictEqual } from "node:util";
import type { SourceCase } from "../sdk/source.ts";
import type { JsonObject } from "../terms/json.ts";

/**
 * The case that answers these inputs: one with equal inputs, if possible one that shows no failure; otherwise the one with a
 * record that has the most inputs in common, so that a simulated workflow always gets an example. The run is marked as
 * simulated everywhere, so nobody takes it for a real answer. `null` for a source that has no case with a record.
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
