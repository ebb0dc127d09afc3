import type { ResultOf } from "../../api/verb-types.ts";

type Plan = ResultOf<"workflow plan">;
export type PlannedSource = Plan["sources"][number];
type Costs = Pick<Plan, "at_most" | "unknown_cost"> & { readonly workflow: { readonly simulated: boolean } };

/** The label of the button. A function decides in its code which sources it calls, so its price is unknown. */
export function runLabel(plan: Costs, kind: "sources" | "function"): string {
  if (plan.workflow.simulated) return "Run simulated";
  if (kind === "function") return "Run live, at an unknown price";
  const sums = plan.at_most.map(({ amount, currency }) => `${amount} ${currency}`);
  const known = sums.length === 0 ? "" : `at most ${sums.join(" and ")}`;
  const unknown = plan.unknown_cost.length === 0 ? "" : "an unknown price";
  if (known === "" && unknown === "") return "Run live, free of charge";
  return `Run live, for ${[known, unknown].filter(Boolean).join(" plus ")}`;
}

/** The maximum cost of one source, and where the price comes from. */
export function costWords(row: PlannedSource, isSimulated: boolean): string {
  if (isSimulated) return "nothing: simulated";
  if (row.cost === "nothing") return row.problem === null ? "free" : "nothing: not called";
  const per = row.bills.replace("per_", "");
  if (row.cost === "unknown") return `unknown, per ${per}`;
  return `${row.at_most} ${row.currency} per ${per}`;
}

/** The days of which the runs of a function are looked at. */
export const COST_DAYS = 28;

type Activity = Pick<
  ResultOf<"function activity">["activity"][number],
  "cost_per_run" | "cost_runs" | "unpriced" | "complete"
>;

/** What recent runs of a function cost, as an estimate of the next one. */
export function costOfRunsWords(line: Activity | undefined): string {
  const { cost_per_run: costs = [], cost_runs: runs = 0, unpriced = 0, complete = true } = line ?? {};
  if (runs === 0) return `unknown: it had no live run in the last ${COST_DAYS} days`;
  const counted = `${runs.toLocaleString("en-GB")} ${runs === 1 ? "run" : "runs"}`;
  const when = complete ? `in the last ${COST_DAYS} days, ${counted}` : `in its newest ${counted}`;
  const amounts = costs.map(({ currency, median, most }) =>
    median === most ? `about ${most} ${currency}` : `about ${median} ${currency}, at most ${most} ${currency}`,
  );
  if (unpriced > 0)
    amounts.push(`${unpriced.toLocaleString("en-GB")} ${unpriced === 1 ? "request" : "requests"} without a price`);
  return `${amounts.length === 0 ? "nothing" : amounts.join(", and ")} ${when}`;
}
