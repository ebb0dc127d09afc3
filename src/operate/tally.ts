import type { Clock } from "../terms/time/clock.ts";

const PERIOD_MS = 10_000;

/**
 * Limits log lines for events that others can cause without limit. The first event of a kind is logged at once; while
 * more follow, their number is logged once per period.
 */
export function createTally<Kind extends string>(
  say: (kind: Kind, count: number) => void,
  clock: Clock,
  periodMs = PERIOD_MS,
) {
  const counts = new Map<Kind, number>();

  function wait(kind: Kind): void {
    const sayMore = () => {
      const count = counts.get(kind) ?? 0;
      if (count === 0) return void counts.delete(kind);
      say(kind, count);
      counts.set(kind, 0);
      wait(kind);
    };
    clock.after(periodMs, sayMore, "loose");
  }

  return {
    note(kind: Kind): void {
      const count = counts.get(kind);
      if (count !== undefined) return void counts.set(kind, count + 1);
      counts.set(kind, 0);
      say(kind, 1);
      wait(kind);
    },
    /** The number of kinds with a running period. */
    kinds: () => counts.size,
    isCounting: (kind: Kind) => counts.has(kind),
    /** Logs the pending counts. */
    close(): void {
      for (const [kind, count] of counts) if (count > 0) say(kind, count);
      counts.clear();
    },
  };
}
