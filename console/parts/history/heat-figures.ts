import type { History } from "../../api/use-history.ts";
import { stepAt, type Values } from "../charts/chart-shape.ts";
import type { TimeAxis } from "../time-range-shape.ts";
import { attemptedOf, failedOf } from "./history-sums.ts";
import { percentileOf } from "./percentile.ts";

type Group = History["groups"][number];
type Point = Group["points"][number];

/** Levels of a heat map from 0 to 5, and the figure of each step in words. */
export interface Heat {
  readonly levels: Values;
  readonly texts: readonly (string | null)[];
}

const FAILED_SHARES = [0, 0.01, 0.05, 0.2, 0.5];
export const FAILED_LEGEND = ["none failed", "below 1 %", "below 5 %", "below 20 %", "below 50 %", "50 % and more"];

/** How large the failed part of each step was. Only failures of the vendor and the source count. */
export function failureHeat(axis: TimeAxis, group: Group): Heat {
  return heatOf(axis, group, (point) => {
    const failed = failedOf(point);
    const attempted = attemptedOf(point);
    if (attempted <= 0) return null;
    const share = failed / attempted;
    const level = failed === 0 ? 0 : FAILED_SHARES.findLastIndex((from) => share >= from) + 1;
    return { level, text: `${failed} of ${attempted} failed` };
  });
}

const SLOW_FACTORS = [1.25, 1.5, 2, 3, 5];
export const SLOW_LEGEND = ["as usual", "1.25 times", "1.5 times", "twice", "3 times", "5 times and slower"];

/** How much slower each step was than the median of the steps: the 95th percentiles are compared. */
export function slownessHeat(axis: TimeAxis, group: Group, bounds: readonly number[]): Heat {
  const p95 = (point: Point) => percentileOf(point.durations, bounds, 0.95);
  const known = group.points.map(p95).filter((ms) => ms !== null);
  const usual = known.toSorted((one, other) => one - other)[Math.floor((known.length - 1) / 2)] ?? 0;
  return heatOf(axis, group, (point) => {
    const ms = p95(point);
    if (ms === null) return null;
    // Of a few milliseconds, a multiple is no trouble.
    const level = ms < 20 || usual === 0 ? 0 : SLOW_FACTORS.findLastIndex((factor) => ms >= factor * usual) + 1;
    return { level, text: `p95 ${ms} ms, usually ${usual} ms` };
  });
}

function heatOf(
  axis: TimeAxis,
  { points }: Group,
  pick: (point: Point) => { readonly level: number; readonly text: string } | null,
): Heat {
  const found = new Map(points.map((point) => [stepAt(axis, Date.parse(point.at)), pick(point)]));
  const cells = axis.starts.map((_, at) => found.get(at) ?? null);
  return { levels: cells.map((cell) => cell?.level ?? null), texts: cells.map((cell) => cell?.text ?? null) };
}
