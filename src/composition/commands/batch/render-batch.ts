import type { DryRunResult } from "../../../batch/dry-run.ts";
import type { EstimatedShare } from "../../../batch/estimate.ts";
import type { BatchResult } from "../../../batch/batch-request.ts";

/** The result of a batch for people. */
export function renderBatch(result: BatchResult): string {
  const { out, rows, answered, open, rejected, lost, unknown, left, targets, cost, stopped, projection } = result;
  const others = [
    [open, "with sources that were not called; the same command asks them"],
    [left, "not asked"],
    [rejected, "rejected"],
    [lost, "answered, answer lost: --again asks again"],
    [unknown, "unknown, not looked up"],
  ] as const;
  return lines([
    `${count(answered)} of ${rowsText(rows)} answered: ${out}`,
    ...others.filter(([of]) => of > 0).map(([of, what]) => `  ${count(of)} ${what}`),
    ...targets.map(
      ({ source, matched, unmatched, failed }) =>
        `${source}: ${count(matched)} found, ${count(unmatched)} not found, ${count(failed)} failed`,
    ),
    ...(cost.length === 0 ? [] : [`Cost at the planned prices: ${cost.join(", ")}`]),
    ...(rejected + lost + unknown > 0 ? [`Reasons: ${out}.failed`] : []),
    ...(projection === null
      ? []
      : [
          `Projected from ${rowsText(projection.rows_answered)} to ${count(projection.rows)}, with 95 % confidence:`,
          ...projection.targets.map(({ source, match_rate: rate }) => `  ${source}: found ${shareText(rate)}`),
          ...projection.cost.map(
            (amount, at) => `  cost ${amount}, from ${projection.cost_low[at]} to ${projection.cost_high[at]}`,
          ),
        ]),
    ...(stopped === null ? [] : [`It ended early. ${stopped}`]),
  ]);
}

/** The result of a dry run for people. */
export function renderDryRun(result: DryRunResult): string {
  const { rows, targets, rejected, unreadable, at_most, unknown_cost, least_duration_ms } = result;
  const reason = ({ row, problem }: { readonly row: number; readonly problem: string }) => `  row ${row}: ${problem}`;
  return lines([
    `${rowsText(rows)}; no request was sent`,
    ...(unreadable.length === 0 ? [] : ["unreadable:", ...unreadable.map(reason)]),
    ...targets.flatMap(({ source, valid, invalid, reasons }) => [
      `${source}: ${count(valid)} valid, ${count(invalid)} invalid`,
      ...reasons.map(reason),
    ]),
    ...(rejected === 0 ? [] : [`${rowsText(rejected)} would be rejected without a request`]),
    `Cost at most: ${at_most.length === 0 ? "nothing" : at_most.join(", ")}`,
    ...(unknown_cost.length === 0 ? [] : [`Not in it, because no price is known: ${unknown_cost.join(", ")}`]),
    least_duration_ms === null
      ? "No source declares a rate"
      : `Time at the declared rates: ${duration(least_duration_ms)}`,
  ]);
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function rowsText(value: number): string {
  return `${count(value)} ${value === 1 ? "row" : "rows"}`;
}

function shareText({ share, low, high }: EstimatedShare): string {
  const percent = (of: number): string => (100 * of).toFixed(1);
  return `${percent(share)} %, from ${percent(low)} to ${percent(high)} %`;
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}
