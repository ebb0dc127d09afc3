import type { PlannedTarget } from "./plan.ts";

/** Spreads calls evenly at the rates that sources declare, so that few are shed. */
export interface RatePacer {
  /** Reserves a call of each of these sources at this time, and returns the milliseconds to wait for it. */
  reserve(sources: readonly string[], now: number): number;
}

export function createRatePacer(targets: readonly PlannedTarget[]): RatePacer {
  const spacing = new Map(targets.map((target) => [target.id, spacingOf(target)]));
  const nextAt = new Map<string, number>();
  return {
    reserve(sources, now) {
      const limited = sources.filter((source) => (spacing.get(source) ?? 0) > 0);
      const at = Math.max(now, ...limited.map((source) => nextAt.get(source) ?? now));
      for (const source of limited) nextAt.set(source, at + spacing.get(source)!);
      return at - now;
    },
  };
}

/** Milliseconds between two calls; 0 without a declared rate. */
export function spacingOf({ rates }: Pick<PlannedTarget, "rates">): number {
  return Math.max(0, ...rates.map(({ max, everyMs }) => everyMs / max));
}
