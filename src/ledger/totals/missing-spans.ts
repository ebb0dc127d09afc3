import type { LedgerTables } from "../ports.ts";
import { hoursOf, isDay, type SpanWithTotals, spansToSum, type TimeInterval } from "./spans.ts";

export interface MissingLimits {
  /** A part of a day gets totals only if it has more runs than this. */
  readonly runsWorth: number;
  readonly runsAtOnce: number;
}

/** Few enough to sum up in seconds. A statement that exceeds its time limit would never make totals. */
export const RUNS_AT_ONCE = 200_000;

/** The spans that lack totals and have enough runs. A day with very many runs is summed up by its hours. */
export async function missingSpans(
  tables: LedgerTables,
  within: TimeInterval,
  existing: readonly SpanWithTotals[],
  { runsWorth, runsAtOnce }: MissingLimits,
): Promise<readonly TimeInterval[]> {
  const summedUp = new Set(existing.map(textOf));
  const first = await startAfter(tables, Math.max(0, within.from), 0);
  if (first === null) return [];
  const candidates = spansToSum({ from: Math.max(first, within.from), to: within.to }, await tables.wallAt());
  const missing: TimeInterval[] = [];
  let nextRunAt = first;
  for (const span of candidates) {
    if (summedUp.has(textOf(span)) || span.to <= nextRunAt) continue;
    const startedAt = await startAfter(tables, span.from, isDay(span) ? 0 : runsWorth);
    // No later span has enough runs either, and days come first.
    if (startedAt === null) return missing;
    if (startedAt >= span.to) {
      if (isDay(span)) nextRunAt = startedAt;
      continue;
    }
    const isTooFull = isDay(span) && (await startAfter(tables, span.from, runsAtOnce, span.to)) !== null;
    if (isTooFull) missing.push(...hoursOf(span).filter((hour) => !summedUp.has(textOf(hour))));
    missing.push(span);
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

function textOf({ from, to }: TimeInterval): string {
  return `${from} ${to}`;
}
