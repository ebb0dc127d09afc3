import type { History } from "../../api/use-history.ts";
import { BarChart } from "../charts/bar-chart.tsx";
import type { LimitLine } from "../charts/chart-props.ts";
import { LineChart } from "../charts/line-chart.tsx";
import { setTimeRange, type TimeRange } from "../time-range.tsx";
import { dayClockText } from "../time-zone.ts";
import { tookText } from "../values.tsx";
import { FaultLists, HistoryFacts } from "./history-facts.tsx";
import "./history.css";
import { costSeries, knownFrom, outcomeSeries, percentileSeries, together, NO_HISTORY } from "./history-figures.ts";
import { failedOf, rejectedOf } from "./history-sums.ts";

export interface HistorySummaryProps {
  readonly range: TimeRange;
  /** Several groups are shown together. */
  readonly history: History | undefined;
  readonly unit: "calls" | "runs";
  /** Of calls, the time after which they are given up. */
  readonly timeoutMs?: number | undefined;
  readonly withCost?: boolean;
}

/** How the calls or runs of a range ended, how long they took, and what they cost. A part is selected in the chart. */
export function HistorySummary({ history: given, ...props }: HistorySummaryProps) {
  const history = given && together(given);
  const total = history?.groups[0]?.total;
  return (
    <div class="stack">
      <HistoryFacts of={total} unit={props.unit} isLoading={history === undefined} />
      <Charts history={history} {...props} />
      {total && <FaultLists of={total} />}
    </div>
  );
}

function Charts({ range, history, unit, timeoutMs, withCost = false }: HistorySummaryProps) {
  const { axis, says, zone } = range;
  const shown = history ?? NO_HISTORY;
  const now = Date.now();
  const since = knownFrom(shown);
  const total = shown.groups[0]?.total;
  const name = unit === "runs" ? "Runs" : "Calls";
  const nothing =
    history === undefined
      ? "Loading…"
      : since === null
        ? "The ledger has no run yet."
        : since >= Date.parse(range.to)
          ? `The ledger begins at ${dayClockText(since, zone)}.`
          : `No ${unit === "runs" ? "run" : "call"} in this time.`;
  const common = { axis, knownFrom: since, nothing };
  const limit: LimitLine | undefined =
    timeoutMs === undefined ? undefined : { value: timeoutMs, label: `timeout ${tookText(timeoutMs)}` };
  const currencies = withCost ? (total?.costs ?? []).map(({ currency }) => currency) : [];
  return (
    <div class="history-charts" aria-busy={history === undefined}>
      <section aria-label={`${name} by outcome`}>
        <h3>{name} by outcome</h3>
        <BarChart
          {...common}
          says={`${name} by outcome, ${says}: ${total?.calls ?? 0} in total, ${total ? failedOf(total) : 0} failed, ${total ? rejectedOf(total) : 0} rejected by datarun.`}
          series={outcomeSeries(axis, shown, { unit, now })}
          format={(count) => count.toLocaleString("en-GB")}
          onSelect={setTimeRange}
        />
      </section>
      <section aria-label={`Duration of ${unit}`}>
        <h3>Duration of {unit}</h3>
        <LineChart
          {...common}
          says={`Duration of ${unit}, ${says}: median ${textOf(total?.p50_ms)}, 95th percentile ${textOf(total?.p95_ms)}, 99th percentile ${textOf(total?.p99_ms)}.`}
          series={percentileSeries(axis, shown, now)}
          format={tookText}
          limit={limit}
        />
      </section>
      {currencies.map((currency) => (
        <section key={currency} aria-label={`Cost in ${currency}`}>
          <h3>Cost in {currency}</h3>
          <BarChart
            {...common}
            says={`Cost in ${currency}, ${says}`}
            series={costSeries(axis, shown, currency, now)}
            format={(amount) => amount.toLocaleString("en-GB")}
            isFraction
          />
        </section>
      ))}
    </div>
  );
}

function textOf(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "unknown" : tookText(ms);
}
