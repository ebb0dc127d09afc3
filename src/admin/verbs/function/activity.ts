import { NEWEST_OF_EACH, NEWEST_OF_ONE } from "../../../ledger/read/sum-activity.ts";
import type { CostPerRun } from "../../../ledger/read/sum-function-activity.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { amountText } from "../../../terms/money/money.ts";
import { toCostTexts } from "../../ledger-wire.ts";
import { numbersOf } from "../../recorded-versions.ts";
import { Type } from "../../../terms/schema/type.ts";
import { functionInput } from "../../shared-inputs.ts";
import { momentInput, toRecentSpan } from "../../ledger-inputs.ts";
import { requireFunction } from "../../require.ts";
import { count, listed, listOf, orNull, rowsOf, text, time, toWireTime, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show how the recent runs of each function ended, and how long they took",
  description: `Half of the runs took at most P50 MS, and 99 in 100 at most P99 MS. Only the newest ${NEWEST_OF_EACH} runs of each function are counted, or ${NEWEST_OF_ONE} if one is given, so that a large ledger answers quickly too; COUNTED FROM is the time since which no run was left out. A run has failed if its function has: what its sources did is for the function to judge. It is rejected if the service did not run the function, and neither these runs nor those of which every call was rejected are part of the times. Simulated runs are left out. With --by version, each version has a line of its own; runs from before versions were recorded have none. With --by version, and of one function, COST is that of all requests of the counted runs, and COST PER RUN that of the median run and of the most expensive one, without rejected runs and with unknown charges: an estimate of what the next run costs.`,
  example: "dfunc_contact_check --by version --from 2026-03-01",
  input: {
    function: Type.Optional(functionInput),
    by: Type.Optional(
      Type.Enum(["function", "version"], { description: "What each line stands for; function by default" }),
    ),
    from: Type.Optional(momentInput("Runs that started then or later; the last 24 hours by default")),
    to: Type.Optional(momentInput("Runs that started before then")),
  },
  positional: ["function"],
  role: "viewer",
  changes: false,
  needs: ["functions", "ledger", "store"],

  result: listed("activity", {
    function: text,
    version: Type.Optional({ ...orNull(text), description: "The digest" }),
    version_number: Type.Optional(orNull(count)),
    runs: count,
    answered: count,
    failed: count,
    rejected: { ...count, description: "By this service, before the function ran" },
    unknown: count,
    p50_ms: orNull(count),
    p99_ms: orNull(count),
    cost: Type.Optional({ ...listOf(text), description: "Of all its runs, one text for each currency" }),
    cost_per_run: Type.Optional({
      ...rowsOf({
        currency: text,
        median: { ...text, description: "Half of the runs cost at most this much" },
        most: { ...text, description: "The most expensive run" },
      }),
      description: "Of runs that were not rejected; an unknown charge counts as charged",
    }),
    cost_runs: Type.Optional({ ...count, description: "The number of runs in `cost_per_run`" }),
    unpriced: Type.Optional({
      ...count,
      description: "Requests that were or may have been charged, without a price",
    }),
    last_at: { ...time, description: "When the newest run started; UTC" },
    last: { ...text, description: "How it ended: answered, unknown, or a fault" },
    failures: Type.Record(Type.String(), count, { description: "How many runs failed with each fault" }),
    counted_from: time,
    complete: { ...yesOrNo, description: "Whether every run of the time is counted; otherwise the newest are" },
  }),

  async run({ function: one, by = "function", ...times }, { clock, functions, ledger, store }) {
    const listing = await functions();
    const asked = one === undefined ? listing.list().map(({ id }) => id) : [requireFunction(listing, one).id];
    const lines = await (await ledger()).functionActivity({ functions: asked, by, ...toRecentSpan(times, clock) });
    const numberOf = await numbersOf(
      store,
      lines.map(({ version = null }) => version),
    );
    return {
      activity: lines.map((line) => ({
        function: line.functionId,
        ...(line.version !== undefined && {
          version: line.version,
          version_number: numberOf("function", line.functionId, line.version),
        }),
        runs: Object.values(line.outcomes).reduce((sum, each) => sum + each, 0),
        ...line.outcomes,
        p50_ms: line.p50Ms,
        p99_ms: line.p99Ms,
        ...(line.cost !== undefined && { cost: toCostTexts(line.cost), unpriced: line.cost.unpriced }),
        ...(line.costPerRun !== undefined && toWireCostPerRun(line.costPerRun)),
        last_at: toWireTime(line.lastAt),
        last: line.last,
        failures: Object.fromEntries(line.faults.map(({ code, runs }) => [code, runs])),
        counted_from: toWireTime(line.countedFrom),
        complete: line.isComplete,
      })),
    };
  },

  cells: { cost_per_run: costPerRunText },
  nothing: { activity: "No run called a function." },
});

function toWireCostPerRun({ runs, costs }: CostPerRun) {
  return {
    cost_per_run: costs.map(({ currency, median, most }) => ({
      currency,
      median: amountText(median),
      most: amountText(most),
    })),
    cost_runs: runs,
  };
}

function costPerRunText(costs: readonly JsonObject[]): string {
  return costs
    .map((cost) => {
      const { currency, median, most } = cost as ReturnType<typeof toWireCostPerRun>["cost_per_run"][number];
      return median === most ? `${median} ${currency}` : `${median} ${currency}, at most ${most}`;
    })
    .join("; ");
}
