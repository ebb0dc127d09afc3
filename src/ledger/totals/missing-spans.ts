import type { TimeSpan } from "../../terms/time/calendar.ts";
import type { LedgerTables } from "../ports.ts";
import { LEVELS, partsOf, type SpanLevel, spansToSum } from "./spans.ts";

export interface MissingOptions {
  /** A span gets totals only if it has more runs than this; with `null`, even if it has none. */
  readonly runsWorth: (span: TimeSpan) => number | null;
  readonly runsAtOnce: number;
  /** The possible spans; all if left out. */
  readonly levels?: readonly SpanLevel[];
}

/** Few enough to sum up in seconds. A statement that exceeds its time limit would never make totals. */
export const RUNS_AT_ONCE = 200_000;

/** The spans that lack totals and have enough runs. A span with very many runs is summed up by its parts. */
export async function missingSpans(
  tables: LedgerTables,
  within: TimeSpan,
  existing: readonly TimeSpan[],
  { runsWorth, runsAtOnce, levels = LEVELS }: MissingOptions,
): Promise<readonly TimeSpan[]> {
  const summedUp = new Set(existing.map(textOf));
  const first = await startAfter(tables, Math.max(0, within.from), 0);
  if (first === null) return [];
  const candidates = spansToSum({ from: Math.max(first, within.from), to: within.to }, await tables.wallAt(), levels);
  const missing: TimeSpan[] = [];
  const add = async (span: TimeSpan): Promise<void> => {
    const parts = partsOf(span);
    const isTooFull = parts.length > 0 && (await startAfter(tables, span.from, runsAtOnce, span.to)) !== null;
    if (isTooFull) for (const part of parts) if (!summedUp.has(textOf(part))) await add(part);
    missing.push(span);
  };
  let nextRunAt = first;
  for (const span of candidates) {
    if (summedUp.has(textOf(span)) || span.to <= nextRunAt) continue;
    const worth = runsWorth(span);
    if (worth !== null) {
      const startedAt = await startAfter(tables, span.from, worth);
      // No later span has enough runs either, and longer spans come first.
      if (startedAt === null) return missing;
      if (startedAt >= span.to) {
        if (worth === 0) nextRunAt = startedAt;
        continue;
      }
    }
    await add(span);
  }
  return missing;
}

/** Start of the run that follows `runs` others, counted from `from`; `null` if there are fewer. */
async function startAfter(
  { query }: LedgerTables,
  from: number,
  runs: number,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<number | null> {
  const [run] = await query<{ readonly started_at: number }>(
    "SELECT r.started_at FROM ledger_runs AS r WHERE r.started_at >= ? AND r.started_at < ? ORDER BY r.started_at LIMIT 1 OFFSET ?",
    [from, before, runs],
  );
  return run?.started_at ?? null;
}

function textOf({ from, to }: TimeSpan): string {
  return `${from} ${to}`;
}
