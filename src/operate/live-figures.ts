import type { Clock } from "../terms/clock.ts";
import type { Counts, Lately } from "./counts.ts";
import type { WindowSeries, WindowSums } from "./window.ts";

/** The last minute and the last hour of this process, which may have started later than that. */
export interface LiveFigures {
  /** How long ago it started to count. */
  readonly startedMsAgo: number;
  readonly runs: Stretches;
  /** Minute by minute. */
  readonly lastHour: WindowSeries;
  readonly simulated: Stretches;
  /** Sorted by id. If there are very many, those that were called most in the last hour. */
  readonly sources: readonly (Stretches & { readonly source: string; readonly lastHour: WindowSeries })[];
}

export interface Stretches {
  readonly minute: WindowSums;
  readonly hour: WindowSums;
}

const SOURCES_MAX = 200;

/** Reads what runs have counted. Costs a fraction of a millisecond, and nothing while nobody asks. */
export function readLiveFigures(counts: Counts, clock: Clock): LiveFigures {
  const now = clock.now();
  const called = [...counts.sources]
    .map(([source, { lately }]) => ({ source, lately, calls: lately.hour.total(now) }))
    .filter(({ calls }) => calls > 0)
    .toSorted((one, other) => other.calls - one.calls)
    .slice(0, SOURCES_MAX)
    // Only now, because a service may have thousands of sources, and this is read every second.
    .map(({ source, lately }) => ({ source, ...stretchesOf(lately, now), lastHour: lately.hour.series(now) }));
  return {
    startedMsAgo: now - counts.startedAt,
    runs: stretchesOf(counts.runsLately, now),
    lastHour: counts.runsLately.hour.series(now),
    simulated: stretchesOf(counts.simulatedLately, now),
    sources: called.toSorted((one, other) => (one.source < other.source ? -1 : 1)),
  };
}

/** What was refused in the last five minutes, by the kind of fault. */
export function readRefusals({ refusalsLately }: Counts, clock: Clock): Readonly<Record<string, number>> {
  const now = clock.now();
  return Object.fromEntries([...refusalsLately].map(([kind, window]) => [kind, window.sums(now).failed]));
}

function stretchesOf({ minute, hour }: Lately, now: number): Stretches {
  return { minute: minute.sums(now), hour: hour.sums(now) };
}
