import type { Clock } from "../terms/clock.ts";

const PERIOD_MS = 1_000;
/** Log lines for single events of a kind within a period. */
export const LINES_MAX = 10;

/**
 * For events that others can cause as often as they like: of each kind, the first few in a period have a log line each,
 * and the number of the others is logged when the period ends.
 */
export function createLineLimit<Kind extends string>(logOthers: (kind: Kind, count: number) => void, clock: Clock) {
  /** Events of the current period, which begins with the first of them. */
  const counts = new Map<Kind, number>();

  function endPeriod(kind: Kind): void {
    const others = (counts.get(kind) ?? 0) - LINES_MAX;
    counts.delete(kind);
    if (others > 0) logOthers(kind, others);
  }

  return {
    /** Counts an event. True if it may have a line of its own. */
    admits(kind: Kind): boolean {
      const before = counts.get(kind) ?? 0;
      if (before === 0) clock.after(PERIOD_MS, () => endPeriod(kind), "loose");
      counts.set(kind, before + 1);
      return before < LINES_MAX;
    },
    /** Logs what has not been logged yet. */
    close(): void {
      for (const kind of counts.keys()) endPeriod(kind);
    },
  };
}
