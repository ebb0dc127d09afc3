import type { LedgerTables } from "../ports.ts";
import { hoursOf, isDay, type KeptSpan, spansWanted, type Stretch } from "./spans.ts";

/* Which totals are to be made, and which of them by one statement. */

export interface GroupLimits {
  /** A part of a day has totals if it has more runs. */
  readonly runsWorth: number;
  readonly runsAtOnce: number;
}

/** So few that summing them up takes seconds: a statement that exceeds its time limit would make no totals at all. */
export const RUNS_AT_ONCE = 200_000;

const DAYS_AT_ONCE = 31;

/**
 * The spans that have no totals yet and have runs enough. Days that follow each other are summed up together, unless
 * parts of them have totals, of which theirs are made. A day with very many runs is made of its hours.
 */
export async function missingSpans(
  tables: LedgerTables,
  within: Stretch,
  kept: readonly KeptSpan[],
  { runsWorth, runsAtOnce }: GroupLimits,
): Promise<readonly (readonly Stretch[])[]> {
  const there = new Set(kept.map(textOf));
  const groups: Stretch[][] = [];
  let open: Stretch[] | null = null;
  // When the run starts that is one too many for the open group.
  let fullAt = 0;
  for (const span of await singleSpans(tables, within, there, runsWorth)) {
    const isWhole = isDay(span) && !kept.some(({ from, to }) => from >= span.from && to <= span.to);
    const isNext = open !== null && open.length < DAYS_AT_ONCE && open.at(-1)!.to === span.from && span.to <= fullAt;
    if (isWhole && isNext) {
      open!.push(span);
      continue;
    }
    fullAt = isDay(span) ? ((await startAfter(tables, span.from, runsAtOnce)) ?? Number.MAX_SAFE_INTEGER) : span.to;
    const hours = fullAt < span.to ? hoursOf(span).filter((hour) => !there.has(textOf(hour))) : [];
    groups.push(...hours.map((hour) => [hour]), [span]);
    open = isWhole && hours.length === 0 ? groups.at(-1)! : null;
  }
  return groups;
}

async function singleSpans(
  tables: LedgerTables,
  within: Stretch,
  there: ReadonlySet<string>,
  runsWorth: number,
): Promise<readonly Stretch[]> {
  const first = await startAfter(tables, Math.max(0, within.from), 0);
  if (first === null) return [];
  const wanted = spansWanted({ from: Math.max(first, within.from), to: within.to }, await tables.wallAt());
  const missing: Stretch[] = [];
  let nextRunAt = first;
  for (const span of wanted) {
    if (there.has(textOf(span)) || span.to <= nextRunAt) continue;
    const startedAt = await startAfter(tables, span.from, isDay(span) ? 0 : runsWorth);
    // Nor are there as many later, and days come first.
    if (startedAt === null) return missing;
    if (startedAt < span.to) missing.push(span);
    else if (isDay(span)) nextRunAt = startedAt;
  }
  return missing;
}

/** When the run started that comes after so many that started `from` then on. */
async function startAfter({ query }: LedgerTables, from: number, runs: number): Promise<number | null> {
  const [run] = await query<{ readonly started_at: number }>(
    "SELECT r.started_at FROM ledger_runs AS r WHERE r.started_at >= ? ORDER BY r.started_at LIMIT 1 OFFSET ?",
    [from, runs],
  );
  return run?.started_at ?? null;
}

function textOf({ from, to }: Stretch): string {
  return `${from} ${to}`;
}
