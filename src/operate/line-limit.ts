import type { Clock } from "../terms/time/clock.ts";

const PERIOD_MS = 1_000;
/** Log lines for single events of a kind in a period. */
export const LINES_MAX = 10;

/**
 * Limits log lines for events that others can cause without limit. In each period, the first events of a kind are
 * logged one by one; the number of the others is logged when the period ends.
 */
export function createLineLimit<Kind extends string>(logOthers: (kind: Kind, count: number) => void, clock: Clock) {
  /** Events of the current period, which starts with the first event. */
  const counts = new Map<Kind, number>();

  function endPeriod(kind: Kind): void {
    const others = (counts.get(kind) ?? 0) - LINES_MAX;
    counts.delete(kind);
    if (others > 0) logOthers(kind, others);
  }

  return {
    /** Counts an event. Returns whether it gets its own line. */
    admits(kind: Kind): boolean {
      const before = counts.get(kind) ?? 0;
      if (before === 0) clock.after(PERIOD_MS, () => endPeriod(kind), "loose");
      counts.set(kind, before + 1);
      return before < LINES_MAX;
    },
    /** Logs the pending counts. */
    close(): void {
      for (const kind of counts.keys()) endPeriod(kind);
    },
  };
}
