import type { TimeSpan } from "../../terms/time/calendar.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/time/durations.ts";

/*
 * The spans of time that have totals. A span covers the runs that started in it, with all their requests, because a run
 * starts once and is never moved.
 */

/** A span whose totals are stored. */
export interface SpanWithTotals extends TimeSpan {
  readonly id: number;
  /** Send times of its first and last request; `null` if it has none. */
  readonly sent: { readonly first: number; readonly last: number } | null;
}

export interface SpanLevel {
  readonly lengthMs: number;
  /** A span has totals this time after its end, when most of its runs are recorded. A later run deletes them. */
  readonly afterMs: number;
}

/**
 * A day of UTC has totals once it is over. Until then its hours have them, and the minutes of its last hour.
 */
export const LEVELS: readonly SpanLevel[] = [
  { lengthMs: DAY_MS, afterMs: HOUR_MS },
  { lengthMs: HOUR_MS, afterMs: 10 * MINUTE_MS },
  { lengthMs: MINUTE_MS, afterMs: 2 * MINUTE_MS },
];

/** Reading fewer runs than this is as fast as reading the totals of a part of a day. */
export const RUNS_WORTH_TOTALS = 300;

/** More parts would make a statement too long for a database. */
export const PARTS_MAX = 100;

/** The possible starts of runs whose requests were sent in this interval: no run takes as long as a day. */
export function possibleStartsOf({ from, to }: TimeSpan): TimeSpan {
  return { from: dayStart(from) - DAY_MS, to: -dayStart(-to) + DAY_MS };
}

/** The spans that should have totals at `wallAt`, in order and without gaps, from the midnight before `within` on. */
export function spansToSum(within: TimeSpan, wallAt: number, levels: readonly SpanLevel[]): readonly TimeSpan[] {
  const spans: TimeSpan[] = [];
  // A clock before 1970 is wrong, and sums of its runs need not be fast.
  let at = Math.max(0, dayStart(within.from));
  for (;;) {
    const level = levels.find(({ lengthMs, afterMs }) => at % lengthMs === 0 && at + lengthMs + afterMs <= wallAt);
    if (level === undefined || at >= within.to) return spans;
    spans.push({ from: at, to: at + level.lengthMs });
    at += level.lengthMs;
  }
}

export function isDay({ from, to }: TimeSpan): boolean {
  return to - from === DAY_MS;
}

/** The hours of a day, the minutes of an hour, or nothing. */
export function partsOf({ from, to }: TimeSpan): readonly TimeSpan[] {
  const lengthMs = to - from === DAY_MS ? HOUR_MS : MINUTE_MS;
  const count = to - from > MINUTE_MS ? (to - from) / lengthMs : 0;
  return Array.from({ length: count }, (_, at) => ({ from: from + at * lengthMs, to: from + (at + 1) * lengthMs }));
}

/** The parts of a sum. */
export interface TotalsCover {
  /** Spans whose totals are added. */
  readonly spans: readonly SpanWithTotals[];
  /** Spans whose totals show that they hold nothing for this query. */
  readonly passed: readonly SpanWithTotals[];
  /** Starts of runs whose requests are read one by one. */
  readonly uncovered: readonly TimeSpan[];
}

/** A cover that reads only requests. */
export function withoutTotals(started: TimeSpan): TotalsCover {
  return { spans: [], passed: [], uncovered: [started] };
}

/** Chooses how to sum up the requests `sent` in one interval by runs that started `within` another. */
export function coverOf(existing: readonly SpanWithTotals[], within: TimeSpan, sent: TimeSpan): TotalsCover {
  const { spans, uncovered } = chooseSpans(
    existing.filter((span) => canBeUsed(span, sent)),
    within,
  );
  if (uncovered.length > PARTS_MAX) return withoutTotals(within);
  const isPassed = (span: SpanWithTotals): boolean => !hasSome(span, sent);
  return { spans: spans.filter((span) => !isPassed(span)), passed: spans.filter(isPassed), uncovered };
}

/** Spans that do not overlap, the longest ones, and the rest of the interval. */
export function chooseSpans<Span extends TimeSpan>(
  existing: readonly Span[],
  within: TimeSpan,
): { readonly spans: readonly Span[]; readonly uncovered: readonly TimeSpan[] } {
  const spans: Span[] = [];
  const uncovered: TimeSpan[] = [];
  let at = within.from;
  for (const span of existing.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    // Skips hours of a day that has totals itself.
    if (span.from < at || span.to > within.to) continue;
    if (span.from > at) uncovered.push({ from: at, to: span.from });
    spans.push(span);
    at = span.to;
  }
  if (at < within.to) uncovered.push({ from: at, to: within.to });
  return { spans, uncovered };
}

function hasSome({ sent }: SpanWithTotals, { from, to }: TimeSpan): boolean {
  return sent !== null && sent.last >= from && sent.first < to;
}

/** Totals are per day of sending, so only a midnight can divide them. */
function canBeUsed({ sent }: SpanWithTotals, { from, to }: TimeSpan): boolean {
  if (sent === null) return true;
  const isDivided = (moment: number): boolean => sent.first < moment && sent.last >= moment && moment % DAY_MS !== 0;
  return !isDivided(from) && !isDivided(to);
}

export function dayOf(moment: number): number {
  return Math.floor(moment / DAY_MS);
}

function dayStart(moment: number): number {
  return dayOf(moment) * DAY_MS;
}
