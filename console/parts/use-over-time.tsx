import { useVerb } from "../api/use-verb.ts";
import type { InputOf } from "../api/verb-types.ts";
import { currentZone } from "../address.ts";
import { BarChart } from "./chart.tsx";
import { presetSpan, axisOf } from "./time-range-shape.ts";
import { DAY_MS, dayText } from "./time-zone.ts";

interface UseOverTimeProps {
  /** What the calls belong to. */
  readonly of: Pick<InputOf<"ledger history">, "token" | "credential">;
}

const NUMBER = new Intl.NumberFormat("en-GB");

/** The use of a token or credential in the last 30 days, to see before it is revoked who still needs it. */
export function UseOverTime({ of }: UseOverTimeProps) {
  const zone = currentZone();
  const span = presetSpan("30d", Math.floor(Date.now() / 60_000) * 60_000, zone);
  const axis = axisOf(span.from, span.to, "day", zone);
  const isToken = of.token !== undefined;
  const { result, error } = useVerb("ledger history", {
    by: isToken ? "token" : "credential",
    ...of,
    step: "day",
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    ...(zone !== "UTC" && { time_zone: zone }),
  });
  if (error) return <p class="dim">Its use over the last 30 days is not known: {error.message}</p>;
  const points = new Map(result?.groups[0]?.points.map((point) => [Date.parse(point.at), point.calls]));
  const from = result?.complete_from ? Date.parse(result.complete_from) : null;
  const what = isToken ? "runs" : "calls";
  const values = axis.starts.map((at) =>
    result === undefined || (from !== null && at + DAY_MS <= from) ? null : (points.get(at) ?? 0),
  );
  const sum = values.reduce<number>((all, one) => all + (one ?? 0), 0);
  const since =
    from !== null && from > span.from ? `since ${dayText(from, zone)}, when the records begin` : "in the last 30 days";
  return (
    <div>
      <p>
        {result === undefined
          ? "\u00a0"
          : `${sum === 0 ? "Not used" : `${NUMBER.format(sum)} ${sum === 1 ? what.slice(0, -1) : what}`} ${since}.`}
      </p>
      <BarChart
        says={`${what} by day in the last 30 days`}
        axis={axis}
        knownFrom={from}
        series={[{ label: what, colour: "accent", values }]}
        format={(count) => NUMBER.format(count)}
        nothing={result === undefined ? "" : "not used"}
      />
    </div>
  );
}
