import type { TimeAxis } from "../time-range-shape.ts";
import { dayClockText, dayText } from "../time-zone.ts";
import type { LimitLine } from "./chart-props.ts";
import { timeTicks, type Frame, type Scale } from "./chart-shape.ts";

const LABEL_WIDTH = 64;

interface AxesProps {
  readonly axis: TimeAxis;
  readonly ticks: readonly number[];
  readonly scale: Scale;
  readonly frame: Frame;
  readonly format: (value: number) => string;
}

/** Lines and labels of both axes. */
export function Axes({ axis, ticks, scale, frame, format }: AxesProps) {
  return (
    <g aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <path class="chart-grid" d={`M${frame.left} ${scale.y(tick)}H${frame.right}`} />
          <text class="chart-value" x={frame.left - 8} y={scale.y(tick) + 4}>
            {format(tick)}
          </text>
        </g>
      ))}
      <TimeLabels axis={axis} x={scale.x} left={frame.left} right={frame.right} y={frame.bottom + 16} />
    </g>
  );
}

interface TimeLabelsProps {
  readonly axis: TimeAxis;
  readonly x: (time: number) => number;
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** Labels of times. The outer ones are aligned so that they stay within the frame. */
export function TimeLabels({ axis, x, left, right, y }: TimeLabelsProps) {
  const most = Math.floor((right - left) / LABEL_WIDTH);
  return (
    <>
      {timeTicks(axis.starts[0] ?? 0, axis.to, axis.zone, most).map(({ at, text }) => {
        const position = x(at);
        const anchor = position > right - 24 ? "end" : position < left + 8 ? "start" : "middle";
        return (
          <text key={at} class="chart-time" text-anchor={anchor} x={Math.min(position, right)} y={y}>
            {text}
          </text>
        );
      })}
    </>
  );
}

/** Marks the time of which nothing is known. */
export function Unknown({
  before,
  axis,
  scale,
  frame,
}: {
  readonly before: number | null | undefined;
  readonly axis: TimeAxis;
  readonly scale: Scale;
  readonly frame: Frame;
}) {
  const from = axis.starts[0] ?? 0;
  if (before === null || before === undefined || before <= from) return null;
  // A step of which a part is known has a bar, which is not within the marked time.
  const end = axis.starts.findLast((start) => start <= before) ?? from;
  const width = scale.x(end) - frame.left;
  const text = `no data before ${axis.step === "day" ? dayText(before, axis.zone) : dayClockText(before, axis.zone)}`;
  return (
    <g aria-hidden="true">
      <rect class="chart-unknown" x={frame.left} y={frame.top} width={width} height={frame.bottom - frame.top}>
        <title>{text}</title>
      </rect>
      {width > 60 && (
        <text x={frame.left + 6} y={frame.top + 14}>
          {width > 180 ? text : "no data"}
        </text>
      )}
    </g>
  );
}

export function Limit({
  of: { value, label },
  scale,
  frame,
}: {
  readonly of: LimitLine;
  readonly scale: Scale;
  readonly frame: Frame;
}) {
  const y = scale.y(value);
  return (
    <g class="chart-limit" aria-hidden="true">
      <path d={`M${frame.left} ${y}H${frame.right}`} />
      {/* Below the line where it would leave the frame. */}
      <text x={frame.right - 4} y={y < frame.top + 14 ? y + 13 : y - 4}>
        {label}
      </text>
    </g>
  );
}
