import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { grouped } from "../../parts/amount.tsx";
import { BurnDownChart } from "../../parts/chart.tsx";
import { toMicros } from "../../parts/micros.ts";
import { axisOf } from "../../parts/time-range-shape.ts";
import { timeFormat } from "../../parts/time-zone.ts";

type Budget = ResultOf<"budget show">;

/** What is left of a monthly budget by day, and the day on which it ends at this rate. */
export function BurnDown({ budget }: { readonly budget: Budget }) {
  const { organization_tuid: org, workflow, source, cred_id: credential, time_zone: zone, limit } = budget;
  const [from, to] = [Date.parse(budget.period_from), Date.parse(budget.period_to)];
  const counted = Math.max(from, Date.parse(budget.counts_from));
  const { result, error } = useVerb(
    "ledger spend",
    budget.per === "day"
      ? null
      : {
          by: "day",
          from: new Date(counted).toISOString(),
          to: budget.period_to,
          time_zone: zone,
          org,
          ...(workflow && { workflow }),
          ...(source && { source }),
          ...(credential && { credential }),
          limit: 1_000,
        },
  );
  if (budget.per === "day") return null;
  if (error) return <p class="dim">What is left by day is not known: {error.message}</p>;
  // Before it counts, nothing is used, which says nothing about its rate.
  const axis = axisOf(counted, to, "day", zone);
  const now = Date.now();
  const [amount = "", ...words] = limit.split(" ");
  const currency = words.join(" ").startsWith("request") ? null : words.join(" ");
  const spent = axis.starts.map((start) => {
    if (start > now || result === undefined) return null;
    const day = timeFormat(zone, ISO).format(start).split("/").toReversed().join("-");
    return usedOn(result.spend, day, currency);
  });
  const format = (value: number) =>
    currency === null ? `${grouped(String(Math.round(value)))} requests` : `${grouped(value.toFixed(2))} ${currency}`;
  return (
    <BurnDownChart
      says="What is left of the budget by day"
      axis={axis}
      limit={Number(toMicros(amount)) / 1e6}
      spent={spent}
      now={now}
      format={format}
    />
  );
}

const ISO = { year: "numeric", month: "2-digit", day: "2-digit" } as const;

/** What the requests of a day use of a budget: an unknown charge counts in full. */
function usedOn(lines: ResultOf<"ledger spend">["spend"], day: string, currency: string | null): number {
  const own = lines.filter((line) => line.day === day);
  if (currency === null) return own.reduce((sum, { charged, unknown }) => sum + charged + unknown, 0);
  return own
    .filter((line) => line.currency === currency)
    .reduce((sum, { amount_at_most: amount }) => sum + Number(toMicros(amount ?? "0")) / 1e6, 0);
}
