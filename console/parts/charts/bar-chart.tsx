import { BrushFields, useBrush } from "./brush.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import type { ChartProps } from "./chart-props.ts";
import { stackBars, sumsOf } from "./chart-shape.ts";

export interface BarChartProps extends ChartProps {
  /** Called with the range that was selected by dragging or by keyboard, in milliseconds. */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
}

/** Stacked bars, one for each step. The last series stands on the axis: there its changes are seen best. */
export function BarChart({ onSelect, ...props }: BarChartProps) {
  const { axis, series } = props;
  const sums = sumsOf(
    axis.starts.length,
    series.map(({ values }) => values),
  );
  const brush = useBrush(axis, onSelect);
  return (
    <ChartFrame
      {...props}
      most={Math.max(0, ...sums.map((sum) => sum ?? 0))}
      marks="bar"
      {...(onSelect && { onStep: brush.events, below: <BrushFields axis={axis} brush={brush} /> })}
      draw={(scale, frame) => (
        <>
          {stackBars(
            axis,
            series.map(({ values }) => values),
            scale,
          ).map((bars, at) => (
            <g key={series[at]!.label} class={`chart-${series[at]!.colour}`}>
              {bars.map((bar, step) => bar && <rect key={step} class="chart-bar" {...bar} />)}
            </g>
          ))}
          {brush.selected && (
            <rect
              class="chart-selected"
              x={scale.x(axis.starts[brush.selected.first]!)}
              width={
                scale.x(axis.starts[brush.selected.last + 1] ?? axis.to) - scale.x(axis.starts[brush.selected.first]!)
              }
              y={frame.top}
              height={frame.bottom - frame.top}
            />
          )}
        </>
      )}
    />
  );
}
