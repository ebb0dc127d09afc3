import type { Clock } from "../terms/time/clock.ts";
import { repeat } from "../terms/time/repeat.ts";
import { type CallShift } from "./compare-calls.ts";
import type { SlowSource } from "./ports.ts";
import type { PathDrift } from "./find-drift.ts";
import { type HealthParts, PRESENT_MS, readCalls, readReplyHealth } from "./source-health.ts";

export type DriftKind = PathDrift["kind"] | CallShift;

/** What has changed about a source: how many paths, or 1 for each shift. Kinds without a change are left out. */
export interface SourceDrift {
  readonly source: string;
  readonly kinds: Readonly<Partial<Record<DriftKind, number>>>;
  /** The first of the paths, for a sentence. */
  readonly paths: readonly string[];
}

export interface HealthWatch extends Disposable {
  /** The sources that have changed, by the last comparison. */
  drift(): readonly SourceDrift[];
  /** The sources that have become slow, by the last comparison. */
  slow(): readonly SlowSource[];
}

export interface WatchParts extends HealthParts {
  readonly findSlow: (wallAt: number) => Promise<readonly SlowSource[]>;
}

const FIRST_AFTER_MS = 300_000;
const EVERY_MS = 600_000;
const PATHS_SHOWN = 3;

/** Compares every source that is called with its last 28 days, every ten minutes. A failed comparison changes nothing. */
export function watchHealth(parts: WatchParts, clock: Clock): HealthWatch {
  let found: readonly SourceDrift[] = [];
  let slow: readonly SlowSource[] = [];
  const stop = repeat(clock, { firstMs: FIRST_AFTER_MS, everyMs: EVERY_MS }, () => {
    const wallAt = clock.wall();
    const drifted = compareSources(parts, wallAt).then((now) => (found = now));
    const slowed = parts.findSlow(wallAt).then((now) => (slow = now));
    return Promise.allSettled([drifted, slowed]);
  });
  return { drift: () => found, slow: () => slow, [Symbol.dispose]: stop };
}

async function compareSources({ store, history }: HealthParts, wallAt: number): Promise<readonly SourceDrift[]> {
  const present = { from: wallAt - PRESENT_MS, to: wallAt + 1 };
  const calls = await readCalls(history, present);
  const sampled = new Set(await store.sampledSources(present.from));
  const found: SourceDrift[] = [];
  for (const source of new Set([...sampled, ...calls.sources])) {
    const replies = sampled.has(source) ? await readReplyHealth(store, source, present) : null;
    const { shifts } = calls.of(source);
    const paths = replies?.drift ?? [];
    if (paths.length === 0 && shifts.length === 0) continue;
    const kinds = new Map<DriftKind, number>();
    for (const kind of [...paths.map((path) => path.kind), ...shifts]) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    found.push({
      source,
      kinds: Object.fromEntries(kinds),
      paths: paths.slice(0, PATHS_SHOWN).map(({ path }) => path),
    });
  }
  return found;
}
