import type { Clock } from "../terms/time/clock.ts";
import type { MetricCounts, Lately } from "./counts.ts";
import type { WindowSeries, WindowSums } from "./window.ts";

/** Figures of this process for the last minute and hour. The process may have started later. */
export interface LiveFigures {
  /** Time since counting started, in milliseconds. */
  readonly startedMsAgo: number;
  readonly runs: LatelySums;
  /** By minute. */
  readonly lastHour: WindowSeries;
  readonly simulated: LatelySums;
  /** Sorted by id. If there are too many, those with the most calls in the last hour. */
  readonly sources: readonly (LatelySums & { readonly source: string; readonly lastHour: WindowSeries })[];
}

interface LatelySums {
  readonly minute: WindowSums;
  readonly hour: WindowSums;
}

const SOURCES_MAX = 200;

/** Computes figures from the counts. Takes a fraction of a millisecond, and runs only on request. */
export function readLiveFigures(counts: MetricCounts, clock: Clock): LiveFigures {
  const now = clock.now();
  const called = [...counts.sources]
    .map(([source, { lately }]) => ({ source, lately, calls: lately.hour.total(now) }))
    .filter(({ calls }) => calls > 0)
    .toSorted((one, other) => other.calls - one.calls)
    .slice(0, SOURCES_MAX)
    // Computed only for the selected sources: a service may have thousands, and this runs every second.
    .map(({ source, lately }) => ({ source, ...sumsOf(lately, now), lastHour: lately.hour.series(now) }));
  return {
    startedMsAgo: now - counts.startedAt,
    runs: sumsOf(counts.runsLately, now),
    lastHour: counts.runsLately.hour.series(now),
    simulated: sumsOf(counts.simulatedLately, now),
    sources: called.toSorted((one, other) => (one.source < other.source ? -1 : 1)),
  };
}

/** Refusals of the last five minutes, by kind of fault. */
export function readRefusals({ refusalsLately }: MetricCounts, clock: Clock): Readonly<Record<string, number>> {
  const now = clock.now();
  return Object.fromEntries([...refusalsLately].map(([kind, window]) => [kind, window.sums(now).failed]));
}

function sumsOf({ minute, hour }: Lately, now: number): LatelySums {
  return { minute: minute.sums(now), hour: hour.sums(now) };
}
