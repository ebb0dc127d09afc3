import type { TimeAxis } from "../time-range-shape.ts";
import { dayText, dayClockText } from "../time-zone.ts";
import { ChartFrame } from "./chart-frame.tsx";
import { burnDown } from "./burn-down-shape.ts";
import { drawLine, endOf, type Values } from "./chart-shape.ts";

export interface BurnDownChartProps {
  /** The subject, such as the name of the budget. */
  readonly says: string;
  /** The whole period of the budget, also the part to come. */
  readonly axis: TimeAxis;
  readonly limit: number;
  /** What each step has spent; `null` if unknown or to come. */
  readonly spent: Values;
  /** In milliseconds. */
  readonly now: number;
  readonly format: (value: number) => string;
}

/** What is left of a budget in its period, with a forecast by the average of the last steps. */
export function BurnDownChart({ says, axis, limit, spent, now, format }: BurnDownChartProps) {
  const { left, forecast, line, endsAt } = burnDown(axis, limit, spent, now);
  const timeOf = axis.step === "day" ? dayText : dayClockText;
  // Each amount is that of the end of its step. At the beginning the limit is left.
  const times = [axis.starts[0] ?? 0, ...axis.starts.map((_, at) => Math.min(now, endOf(axis, at)))];
  const end =
    endsAt === null
      ? "At this rate something is left at the end."
      : axis.starts[endsAt]! <= now && (left[endsAt] ?? 1) <= 0
        ? `Used up since ${timeOf(axis.starts[endsAt]!, axis.zone)}.`
        : `At this rate used up on ${timeOf(axis.starts[endsAt]!, axis.zone)}.`;
  return (
    <div class="chart-burn-down">
      <p>{end}</p>
      <ChartFrame
        says={`${says}: ${end}`}
        axis={axis}
        format={format}
        nothing="nothing is left"
        isFraction
        limit={{ value: limit, label: `limit ${format(limit)}` }}
        series={[
          { label: "left", colour: "accent", values: left },
          { label: "forecast", colour: "dim", values: forecast, isDashed: true },
        ]}
        most={limit}
        marks="line"
        draw={(scale) => (
          <>
            <g class="chart-accent">
              <path class="chart-line" d={drawLine(times, [limit, ...left], scale).path} />
            </g>
            <g class="chart-dim is-dashed">
              <path
                class="chart-line"
                d={
                  drawLine(
                    line.map(({ at }) => at),
                    line.map(({ amount }) => amount),
                    scale,
                  ).path
                }
              />
            </g>
          </>
        )}
      />
    </div>
  );
}
