import { ChartFrame } from "./chart-frame.tsx";
import type { ChartProps } from "./chart-props.ts";
import { drawLine, endOf } from "./chart-shape.ts";

export interface LineChartProps extends ChartProps {}

/** Lines over time, such as percentiles of durations. Each value stands in the middle of its step. */
export function LineChart(props: LineChartProps) {
  const { axis, series } = props;
  const middles = axis.starts.map((start, at) => (start + endOf(axis, at)) / 2);
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return (
    <ChartFrame
      {...props}
      most={most}
      marks="line"
      draw={(scale) =>
        series.map(({ label, colour, values, isDashed = false }) => {
          const { path, points } = drawLine(middles, values, scale);
          return (
            <g key={label} class={`chart-${colour} ${isDashed ? "is-dashed" : ""}`}>
              <path class="chart-line" d={path} />
              {points.map(({ x, y }) => (
                <circle key={x} class="chart-point" cx={x} cy={y} r="2.5" />
              ))}
            </g>
          );
        })
      }
    />
  );
}
