import { clockText, dayText, fromLocal, offsetAt } from "../time-zone.ts";
import type { TimeAxis } from "../time-range-shape.ts";

/** Geometry of charts in SVG coordinates. */

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Two to five round numbers from zero to at least `most`. Counts have whole numbers only. */
export function ticksTo(most: number, { isWhole = true } = {}): readonly number[] {
  const rough = Math.max(most, isWhole ? 1 : 0.000001) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const found = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * (1 - 1e-9))!;
  const step = isWhole ? Math.max(1, found) : found;
  const last = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: last + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

const MINUTES = [5, 15, 30, 60, 180, 360, 720];
const DAY_MINUTES = 24 * 60;
const DAYS = [1, 2, 3, 5, 7, 10, 14, 28, 91, 364];

interface TimeTick {
  readonly at: number;
  readonly text: string;
}

/** Round times of the zone within a range, at most `most`: 15:30 within a day, 28 Nov at midnight. */
export function timeTicks(from: number, to: number, zone: string, most: number): readonly TimeTick[] {
  const steps = [...MINUTES, ...DAYS.map((days) => days * DAY_MINUTES)].map((minutes) => minutes * 60_000);
  const step = steps.find((one) => (to - from) / one <= Math.max(1, most)) ?? steps.at(-1)!;
  const ticks: TimeTick[] = [];
  for (let local = Math.ceil((from + offsetAt(from, zone)) / step) * step; ; local += step) {
    const at = fromLocal(local, zone);
    if (at > to) return ticks;
    if (at >= from)
      ticks.push({ at, text: local % (DAY_MINUTES * 60_000) === 0 ? dayText(at, zone) : clockText(at, zone) });
  }
}

export interface Scale {
  x(time: number): number;
  y(value: number): number;
}

export function scaleOf({ left, right, top, bottom }: Frame, from: number, to: number, most: number): Scale {
  return {
    x: (time) => left + ((time - from) / Math.max(1, to - from)) * (right - left),
    y: (value) => bottom - (value / most) * (bottom - top),
  };
}

/** The values of a chart at each step; `null` if unknown. */
export type Values = readonly (number | null)[];

/** An SVG path through the values, with a gap for each `null`, and the positions of isolated values. */
export function drawLine(times: readonly number[], values: Values, { x, y }: Scale) {
  const at = (index: number) => `${round(x(times[index]!))} ${round(y(values[index]!))}`;
  const isThere = (index: number) => values[index] !== null && values[index] !== undefined;
  const indexes = [...times.keys()].filter(isThere);
  const alone = indexes.filter((index) => !isThere(index - 1) && !isThere(index + 1));
  return {
    path: indexes.map((index) => `${isThere(index - 1) ? "L" : "M"}${at(index)}`).join(""),
    points: alone.map((index) => ({ x: x(times[index]!), y: y(values[index]!) })),
  };
}

interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A count above zero is at least this high, so that one failure among thousands is seen. */
const LOW = 1.5;

/** The bars of each series, stacked: the last series stands on the axis. `null` for no bar. */
export function stackBars(
  axis: TimeAxis,
  series: readonly Values[],
  scale: Scale,
): readonly (readonly (Bar | null)[])[] {
  const floors = axis.starts.map(() => scale.y(0));
  return series
    .toReversed()
    .map((values) =>
      axis.starts.map((start, at) => {
        const value = values[at] ?? 0;
        if (value <= 0) return null;
        const [left, right] = [scale.x(start), scale.x(endOf(axis, at))];
        const gap = right - left > 4 ? 1 : 0;
        const height = Math.max(LOW, scale.y(0) - scale.y(value));
        floors[at]! -= height;
        return { x: round(left), y: round(floors[at]!), width: round(right - left - gap), height: round(height) };
      }),
    )
    .toReversed();
}

/** The end of a step. */
export function endOf({ starts, to }: TimeAxis, at: number): number {
  return starts[at + 1] ?? to;
}

/** The step that a time is in. A time outside belongs to the nearest step. */
export function stepAt({ starts }: TimeAxis, time: number): number {
  const after = starts.findIndex((start) => start > time);
  return after === -1 ? Math.max(0, starts.length - 1) : Math.max(0, after - 1);
}

/** The sum of each step; `null` where no series has a value. */
export function sumsOf(count: number, series: readonly Values[]): Values {
  return Array.from({ length: count }, (_, at) => {
    const there = series.map((values) => values[at]).filter((value) => value !== null && value !== undefined);
    return there.length === 0 ? null : there.reduce((sum, value) => sum + value, 0);
  });
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
