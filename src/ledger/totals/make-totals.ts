import { randomInt } from "node:crypto";
import type { LedgerQuery, LedgerTables } from "../ports.ts";
import {
  type Cover,
  coverOf,
  dayOf,
  isDay,
  type KeptSpan,
  RUNS_WORTH_TOTALS,
  spansWanted,
  type Stretch,
} from "./spans.ts";
import { FIGURE_NAMES, readGroups, SENT, type Shape, TOTAL_KEYS } from "./group-requests.ts";

/*
 * How totals are made, so that they are never those of other rows than there are. First the span is claimed, in a
 * transaction that begins while nobody changes its runs. Then its requests are summed up, and whoever changes one of
 * its runs meanwhile deletes the claim, as it would delete the totals. What was summed up is kept only if the claim is
 * still there.
 */

interface SpanRow {
  readonly id: number;
  readonly from_at: number;
  readonly to_at: number;
  readonly sent_first: number | null;
  readonly sent_last: number | null;
}

/** Those whose totals are kept. */
export async function keptSpans({ query }: LedgerTables, within: Stretch): Promise<readonly KeptSpan[]> {
  const rows = await query<SpanRow>(
    `SELECT t.id, t.from_at, t.to_at, t.sent_first, t.sent_last FROM ledger_total_spans AS t
     WHERE t.from_at >= ? AND t.from_at < ? AND t.kept = 1 ORDER BY t.from_at`,
    [within.from, within.to],
  );
  return rows.map(({ id, from_at: from, to_at: to, sent_first: first, sent_last: last }) => ({
    id,
    from,
    to,
    sent: first === null || last === null ? null : { first, last },
  }));
}

/**
 * Makes the totals of runs that started `within` this time, as far as they are missing and can be made: on a disk or a
 * database that cannot be written, sums are made of requests.
 */
export async function makeTotals(tables: LedgerTables, within: Stretch, runsWorth = RUNS_WORTH_TOTALS): Promise<void> {
  const kept = await keptSpans(tables, within);
  const missing = await missingSpans(tables, within, kept, runsWorth);
  for (const spans of together(missing, kept)) if (!(await keepTotals(tables, spans))) return;
}

/** So many that a month is summed up at once, as fast as without totals. */
const DAYS_AT_ONCE = 31;

/** Days that follow each other are summed up together, unless parts of them have totals, of which theirs are made. */
function together(missing: readonly Stretch[], kept: readonly KeptSpan[]): readonly (readonly Stretch[])[] {
  const groups: Stretch[][] = [];
  const isWhole = (span: Stretch): boolean =>
    isDay(span) && !kept.some(({ from, to }) => from >= span.from && to <= span.to);
  for (const span of missing) {
    const last = groups.at(-1);
    const isNext = last !== undefined && last.length < DAYS_AT_ONCE && last.at(-1)!.to === span.from;
    if (isNext && isWhole(last[0]!) && isWhole(span)) last.push(span);
    else groups.push([span]);
  }
  return groups;
}

/** Those that have runs enough. */
async function missingSpans(
  tables: LedgerTables,
  within: Stretch,
  kept: readonly KeptSpan[],
  runsWorth: number,
): Promise<readonly Stretch[]> {
  const first = await startAfter(tables, Math.max(0, within.from), 0);
  if (first === null) return [];
  const wanted = spansWanted({ from: Math.max(first, within.from), to: within.to }, await tables.wallAt());
  const there = new Set(kept.map(({ from, to }) => `${from} ${to}`));
  const missing: Stretch[] = [];
  let nextRunAt = first;
  for (const span of wanted) {
    if (there.has(`${span.from} ${span.to}`) || span.to <= nextRunAt) continue;
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

/** Far more than any clock says: a request that was sent by a wrong one is part of the totals too. */
export const EVER: Stretch = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
const AS_THEY_ARE: Shape = { select: (groups) => `SELECT * FROM (${groups}) AS g`, orderBy: "s.requests" };

const COLUMNS = [...TOTAL_KEYS, ...FIGURE_NAMES, ...SENT] as const;
type Line = Readonly<Record<(typeof COLUMNS)[number], string | number | null>> & { readonly started_day?: number };

/** False if totals cannot be stored here. That others change the runs meanwhile, or make the same totals, is no reason. */
async function keepTotals(tables: LedgerTables, spans: readonly Stretch[]): Promise<boolean> {
  const claims: Claimed[] = [];
  for (const span of spans) {
    const id = await claim(tables, span).catch(cannotBeStored);
    if (id === false) return false;
    if (id !== true) claims.push({ ...span, id });
  }
  if (claims.length === 0) return true;
  const cover = spans.length === 1 ? coverOf(await keptSpans(tables, spans[0]!), spans[0]!, EVER) : allOf(claims);
  const keys = spans.length === 1 ? TOTAL_KEYS : [...TOTAL_KEYS, "started_day" as const];
  const lines = await readGroups<Line>(tables, { keys, sent: EVER }, AS_THEY_ARE, cover);
  for (const claimed of lines === null ? [] : claims) {
    const own = lines!.filter(({ started_day: day = dayOf(claimed.from) }) => day === dayOf(claimed.from));
    if (!(await store(tables, claimed, own).catch(cannotBeStored))) return false;
  }
  return true;
}

function allOf(days: readonly Stretch[]): Cover {
  const rest: Stretch[] = [];
  for (const { from, to } of days) {
    const last = rest.at(-1);
    if (last?.to === from) rest.splice(-1, 1, { from: last.from, to });
    else rest.push({ from, to });
  }
  return { spans: [], passed: [], rest };
}

function cannotBeStored(): false {
  return false;
}

/** So many that no reader ever takes one for another. */
const IDS = 2 ** 48 - 1;

/** Returns the number of the claim; true if there is nothing to do now. */
function claim(tables: LedgerTables, { from, to }: Stretch): Promise<number | true> {
  return tables.note(async (query) => {
    if (!(await tables.lockDay(query, dayOf(from)))) return true;
    const [there] = await query<{ readonly kept: number }>(
      "SELECT t.kept FROM ledger_total_spans AS t WHERE t.from_at = ? AND t.to_at = ?",
      [from, to],
    );
    if (there?.kept === 1) return true;
    // Who had claimed it may have died, or sums up the same at this moment.
    await query("DELETE FROM ledger_total_spans WHERE from_at = ? AND to_at = ?", [from, to]);
    const id = randomInt(IDS);
    await query("INSERT INTO ledger_total_spans (id, from_at, to_at, kept) VALUES (?, ?, ?, 0)", [id, from, to]);
    return id;
  });
}

type Claimed = Stretch & { readonly id: number };

/** Few enough that nobody waits long for a transaction. */
const LINES_AT_ONCE = 500;

async function store(tables: LedgerTables, claimed: Claimed, lines: readonly Line[]): Promise<true> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE);
    const isStored = await whileClaimed(tables, claimed, async (query) => {
      const row = `(${["span", "line", ...COLUMNS].map(() => "?").join(", ")})`;
      await query(
        `INSERT INTO ledger_totals (span, line, ${COLUMNS.join(", ")}) VALUES ${some.map(() => row).join(", ")}`,
        some.flatMap((line, number) => [claimed.id, at + number, ...COLUMNS.map((name) => line[name])]),
      );
    });
    if (!isStored) return true;
  }
  await whileClaimed(tables, claimed, async (query) => {
    const { id, from, to } = claimed;
    const sentOf = (what: string): string => `(SELECT ${what} FROM ledger_totals AS x WHERE x.span = ?)`;
    await query(
      `UPDATE ledger_total_spans SET kept = 1, sent_first = ${sentOf("min(x.sent_first)")},
         sent_last = ${sentOf("max(x.sent_last)")} WHERE id = ?`,
      [id, id, id],
    );
    // The parts of it are not needed any more.
    await query("DELETE FROM ledger_total_spans WHERE from_at >= ? AND to_at <= ? AND id <> ?", [from, to, id]);
  });
  return true;
}

/** Nobody changes the runs while this is done. False if somebody has: the claim is gone. */
function whileClaimed(
  tables: LedgerTables,
  { id, from }: Claimed,
  work: (query: LedgerQuery) => Promise<void>,
): Promise<boolean> {
  return tables.note(async (query) => {
    if (!(await tables.lockDay(query, dayOf(from)))) return false;
    if ((await query("SELECT t.id FROM ledger_total_spans AS t WHERE t.id = ?", [id])).length === 0) return false;
    await work(query);
    return true;
  });
}
