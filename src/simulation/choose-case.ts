import { isDeepStrictEqual } from "node:util";
import type { SourceCase } from "../sdk/source.ts";
import type { JsonObject } from "../terms/json/json.ts";

/**
 * Chooses the case that answers these inputs. First choice: equal inputs, if possible without a failure. Otherwise: the
 * case with a record that shares the most inputs, so that a simulated workflow always returns an example. Simulated
 * runs are marked as such everywhere, so an example is not mistaken for a real answer. `null` if the source has no case
 * with a record.
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

/**
 * The number of equal inputs, plus 0.5 if the same names are given: a source may send another request for another set
 * of names.
 */
function likenessOf(inputs: JsonObject, given: JsonObject): number {
  const shared = Object.entries(inputs).filter(([name, value]) => isDeepStrictEqual(given[name], value)).length;
  const asksAlike = isDeepStrictEqual(Object.keys(inputs).sort(), Object.keys(given).sort());
  return shared + (asksAlike ? 0.5 : 0);
}

/** The case that shows what "no record" looks like. */
export function noRecordCase(cases: readonly SourceCase[]): SourceCase | null {
  return cases.find(({ expect }) => "match" in expect && !expect.match) ?? null;
}
