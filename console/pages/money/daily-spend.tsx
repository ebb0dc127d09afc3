import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { grouped } from "../../parts/amount.tsx";
import { BarChart } from "../../parts/chart.tsx";
import type { Series } from "../../parts/charts/chart-props.ts";
import { toMicros } from "../../parts/micros.ts";
import { type TimeAxis } from "../../parts/time-range-shape.ts";
import { forecastOf, spendByVendor, type VendorSpend } from "./spend-by-vendor.ts";

interface DailySpendProps {
  readonly span: { readonly from: string; readonly to: string };
  readonly axis: TimeAxis;
  readonly org: string;
  /** Whether the axis ends with the current month, whose end can be estimated. */
  readonly isMonth: boolean;
}

/** What was spent in each step, stacked by vendor, in a chart for each currency. */
export function DailySpend({ span, axis, org, isMonth }: DailySpendProps) {
  const { zone, step } = axis;
  const { result, error } = useVerb("ledger history", {
    by: "vendor",
    step,
    ...span,
    limit: 1_000,
    ...(zone !== "UTC" && { time_zone: zone }),
    ...(org !== "" && { org }),
  });
  const budgets = useVerb("budget list", org === "" ? null : { org }).result?.budgets ?? [];
  if (error)
    return (
      <p class="dim">
        The spend by {step} is not known: {error.message}
      </p>
    );
  if (result === undefined) return <div class="money-chart" />;
  const now = Date.now();
  return (
    <>
      {[...spendByVendor(result.groups, axis.starts)].map(([currency, vendors]) => {
        const forecast = isMonth ? forecastOf(axis, vendors, now) : null;
        const money = (amount: number) => `${grouped(amount.toFixed(2))} ${currency}`;
        return (
          <figure key={currency} class="money-figure">
            <figcaption class="dim">
              {currency} by {step} and vendor
              {forecast !== null &&
                `. At the rate of the days before today, the month costs about ${money(forecast.sum)}.`}
            </figcaption>
            <BarChart
              says={`${currency} by ${step} and vendor`}
              axis={axis}
              series={[...vendors.map((one, at) => seriesOf(one, at, currency)), ...forecastSeries(forecast?.values)]}
              format={money}
              nothing="Nothing was charged."
              isFraction
              limit={limitOf(budgets, currency, axis)}
            />
          </figure>
        );
      })}
    </>
  );
}

function seriesOf({ vendor, amounts }: VendorSpend, at: number, currency: string): Series {
  return {
    label: vendor,
    colour: vendor === "others" ? "series-other" : (`series-${(at % 7) + 1}` as Series["colour"]),
    values: amounts.map((one) => (one === null ? 0 : Number(toMicros(one.most)) / 1e6)),
    texts: amounts.map((one) =>
      one === null
        ? null
        : one.least === one.most
          ? `${grouped(one.least)} ${currency}`
          : `${grouped(one.least)} to ${grouped(one.most)} ${currency}`,
    ),
  };
}

function forecastSeries(values: readonly (number | null)[] | undefined): readonly Series[] {
  return values === undefined ? [] : [{ label: "forecast", colour: "forecast", values }];
}

/** The budget of a whole organization, by day: of a monthly budget, the part of one day. */
function limitOf(budgets: ResultOf<"budget list">["budgets"], currency: string, { step, starts }: TimeAxis) {
  if (step !== "day") return undefined;
  const budget = budgets.find(
    ({ limit, workflow, source, cred_id: credential }) =>
      workflow === null && source === null && credential === null && limit.endsWith(` ${currency}`),
  );
  if (budget === undefined) return undefined;
  const units = Number(toMicros(budget.limit)) / 1e6;
  const isDaily = budget.per === "day";
  return {
    value: isDaily ? units : units / starts.length,
    label: isDaily ? `budget ${grouped(budget.limit)} a day` : `budget ${grouped(budget.limit)} a month, by day`,
  };
}
