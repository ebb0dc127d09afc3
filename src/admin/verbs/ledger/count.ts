import { Type } from "../../../terms/schema/type.ts";
import { RUN_OUTCOMES, type RunCount } from "../../../ledger/read/count-runs.ts";
import { filterInputs, toFilter } from "../../ledger-inputs.ts";
import { requireFewSteps, stepInputs, toSteps } from "../../ledger-steps.ts";
import { toVersionFilter } from "../../recorded-versions.ts";
import { count, orNull, rowsOf, text, time, toWireTime } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

const counts = {
  runs: count,
  failed: { ...count, description: "A call failed, also by a rejection of this service" },
  unknown: { ...count, description: "None failed, and the outcome of a call is unknown" },
  match: { ...count, description: "Neither, and a call had a record" },
  no_match: { ...count, description: "Every call had no record" },
  no_calls: { ...count, description: "No call was recorded" },
};

export default defineVerb({
  summary: "Count the runs that `ledger list` lists, by minute, hour or day",
  description:
    "The options are those of `ledger list`, and so are the runs: also simulated ones. Each run counts once, by the worst outcome of its calls. Without --from, the last 24 hours are counted. Of very many runs, the newest are counted, and `counted_from` says from when on.",
  example: "--failure timeout --from 2026-03-01 --to 2026-03-08 --step day",
  input: {
    ...filterInputs,
    ...stepInputs,
  },
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],

  result: Type.Object({
    from: time,
    to: time,
    step: text,
    counted_from: { ...time, description: "Earlier runs were not counted, because there are very many; UTC" },
    complete_from: {
      ...orNull(time),
      description: "The time from which the ledger has all runs: before it, counts are unknown, not zero; UTC",
    },
    total: Type.Object(counts),
    points: {
      ...rowsOf({ at: time, ...counts }),
      description: "One for each step with runs, by the step's start",
    },
  }),

  async run(input, { clock, ledger, store, note }) {
    const steps = toSteps(input, clock);
    requireFewSteps(steps);
    const filter = { ...toFilter(input), ...(await toVersionFilter(input, store)), ...steps };
    const { countedFrom, completeFrom, points } = await (await ledger()).count(filter);
    if (countedFrom > steps.from)
      note(`There are very many runs: those that started before ${toWireTime(countedFrom)} were not counted.`);
    return {
      from: toWireTime(steps.from),
      to: toWireTime(steps.to),
      step: steps.step,
      counted_from: toWireTime(countedFrom),
      complete_from: completeFrom === null ? null : toWireTime(completeFrom),
      total: toWireCounts(points),
      points: points.map((point) => ({ at: toWireTime(point.at), ...toWireCounts([point]) })),
    };
  },
});

function toWireCounts(points: readonly RunCount[]) {
  const of = Object.fromEntries(
    RUN_OUTCOMES.map((outcome) => [outcome, points.reduce((sum, { runs }) => sum + runs[outcome], 0)]),
  ) as RunCount["runs"];
  return { runs: Object.values(of).reduce((sum, one) => sum + one, 0), ...of };
}
