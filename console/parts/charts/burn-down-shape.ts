import type { TimeAxis } from "../time-range-shape.ts";
import { endOf, type Values } from "./chart-shape.ts";

export interface BurnDown {
  /** What is left at the end of each step that has begun. */
  readonly left: Values;
  /** What will be left at the average of the last steps. It begins where `left` ends. */
  readonly forecast: Values;
  /** The forecast as a line: now, and when nothing will be left or the period ends. Empty if nothing is left. */
  readonly line: readonly { readonly at: number; readonly amount: number }[];
  /** The step in which nothing will be left; `null` if something is left at the end. */
  readonly endsAt: number | null;
}

/** The steps whose average is the forecast. */
const RECENT = 7;

/**
 * What is left of a limit, and will be. `spent` is the amount of each step, without what later ones spend; the step of
 * `now` counts by the part of it that has passed.
 */
export function burnDown(axis: TimeAxis, limit: number, spent: Values, now: number): BurnDown {
  const current = axis.starts.findLastIndex((start) => start <= now);
  let rest = limit;
  const left = axis.starts.map((_, at) => (at > current ? null : (rest -= spent[at] ?? 0)));
  const first = Math.max(0, current - RECENT + 1);
  const spentLately = spent.slice(first, current + 1).reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
  const lengthOf = (at: number) => endOf(axis, at) - axis.starts[at]!;
  const passed = current < 0 ? 0 : Math.min(now, endOf(axis, current)) - axis.starts[first]!;
  const perMs = passed > 0 ? spentLately / passed : 0;
  const atEnd = rest - perMs * Math.max(0, axis.to - now);
  const line =
    current < 0 || rest <= 0
      ? []
      : [{ at: now, amount: rest }, atEnd < 0 ? { at: now + rest / perMs, amount: 0 } : { at: axis.to, amount: atEnd }];
  let endsAt: number | null =
    current >= 0 && rest <= 0 ? left.findIndex((amount) => amount !== null && amount <= 0) : null;
  const forecast = axis.starts.map((_, at) => {
    if (at < current || current < 0) return null;
    if (at === current) {
      const amount = Math.max(0, rest);
      // Of the current step a part is still to come.
      rest -= perMs * Math.max(0, endOf(axis, at) - now);
      if (rest <= 0 && endsAt === null) endsAt = at;
      return amount;
    }
    rest -= perMs * lengthOf(at);
    if (rest <= 0 && endsAt === null) endsAt = at;
    return Math.max(0, rest);
  });
  return { left, forecast, line, endsAt };
}
