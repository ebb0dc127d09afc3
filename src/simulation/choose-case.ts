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
  let bestShared = -1;
  for (const each of cases) {
    const shared = Object.entries(each.inputs).filter(([name, value]) => isDeepStrictEqual(given[name], value)).length;
    if ("match" in each.expect && each.expect.match && shared > bestShared) {
      best = each;
      bestShared = shared;
    }
  }
  return best;
}

/** The case that shows what "no record" looks like. */
export function noRecordCase(cases: readonly SourceCase[]): SourceCase | null {
  return cases.find(({ expect }) => "match" in expect && !expect.match) ?? null;
}
