import { randomInt } from "node:crypto";
import type { OnProgress } from "../../terms/on-progress.ts";
import type { LedgerQuery, LedgerTables } from "../ports.ts";
import { coverOf, dayOf, type SpanWithTotals, RUNS_WORTH_TOTALS, type TimeInterval } from "./spans.ts";
import { FIGURE_NAMES, readGroups, SENT, type GroupQuery, TOTAL_KEYS } from "./group-requests.ts";
import { missingSpans, type MissingLimits, RUNS_AT_ONCE } from "./missing-spans.ts";

/*
 * Making totals of a span so that they always match its rows:
 * 1. Claim the span, in a transaction that begins while no other change of its runs is in progress.
 * 2. Sum up its requests. A concurrent change of one of its runs deletes the claim, as it would delete the totals.
 * 3. Store the totals only if the claim still exists.
 */

interface SpanRow {
  readonly id: number;
  readonly from_at: number;
  readonly to_at: number;
  readonly sent_first: number | null;
  readonly sent_last: number | null;
}

/** The spans that have totals. */
export async function readSpans({ query }: LedgerTables, within: TimeInterval): Promise<readonly SpanWithTotals[]> {
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

export interface MakeOptions extends Partial<MissingLimits> {
  /** Checked between long statements, so that a stopping service starts no further one. */
  readonly isClosed?: () => boolean;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * Makes missing totals of runs that started `within` this time. On a disk or database that cannot be written, none are
 * stored and sums are computed from requests. A failure for one span does not stop the others.
 */
export async function makeTotals(
  tables: LedgerTables,
  within: TimeInterval,
  {
    runsWorth = RUNS_WORTH_TOTALS,
    runsAtOnce = RUNS_AT_ONCE,
    isClosed = () => false,
    onProgress = () => {},
  }: MakeOptions = {},
): Promise<void> {
  const errors: unknown[] = [];
  const missing = await missingSpans(tables, within, await readSpans(tables, within), { runsWorth, runsAtOnce });
  for (const [done, span] of missing.entries()) {
    if (isClosed()) return;
    onProgress("parts of the time summed up", done, missing.length);
    const canBeStored = await storeTotals(tables, span).catch((error: unknown) => void errors.push(error));
    if (canBeStored === false) break;
  }
  if (errors.length > 0) throw errors[0];
}

/** Wider than any clock: requests sent under a wrong clock are part of the totals too. */
export const EVER: TimeInterval = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
const AS_THEY_ARE: GroupQuery = { select: (groups) => `SELECT * FROM (${groups}) AS g`, orderBy: "s.requests" };

const COLUMNS = [...TOTAL_KEYS, ...FIGURE_NAMES, ...SENT] as const;
type TotalLine = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

/**
 * False if totals cannot be stored here. A concurrent change of the runs, or another process that makes the same
 * totals, is not a reason.
 */
async function storeTotals(tables: LedgerTables, span: TimeInterval): Promise<boolean> {
  const id = await claim(tables, span).catch(cannotBeStored);
  if (typeof id === "boolean") return id;
  let hasTotals = false;
  try {
    const cover = coverOf(await readSpans(tables, span), span, EVER);
    const lines = await readGroups<TotalLine>(tables, { keys: TOTAL_KEYS, sent: EVER }, AS_THEY_ARE, cover);
    hasTotals = lines !== null && (await store(tables, { ...span, id }, lines));
    return true;
  } finally {
    if (!hasTotals) await release(tables, id);
  }
}

function cannotBeStored(): false {
  return false;
}

/** So many that a reader never sees the same id for different totals. */
const IDS = 2 ** 48 - 1;

/** The time limit of a statement. An older claim belongs to a dead process. */
const CLAIM_MS_MAX = 300_000;

/** Returns the number of the claim, or true if there is nothing to do now. */
async function claim(tables: LedgerTables, { from, to }: TimeInterval): Promise<number | true> {
  const wallAt = await tables.wallAt();
  return tables.changeUnsynced(async (query) => {
    if (!(await tables.lockDay(query, dayOf(from)))) return true;
    // Until totals are stored, `sent_first` is the time of the claim.
    const [existing] = await query<{ readonly kept: number; readonly sent_first: number | null }>(
      "SELECT t.kept, t.sent_first FROM ledger_total_spans AS t WHERE t.from_at = ? AND t.to_at = ?",
      [from, to],
    );
    if (existing?.kept === 1) return true;
    // Another process is summing up this span. If two took the claim from each other, neither would finish.
    if (existing !== undefined && Math.abs(wallAt - (existing.sent_first ?? 0)) < CLAIM_MS_MAX) return true;
    await query("DELETE FROM ledger_total_spans WHERE from_at = ? AND to_at = ?", [from, to]);
    const id = randomInt(IDS);
    await query("INSERT INTO ledger_total_spans (id, from_at, to_at, kept, sent_first) VALUES (?, ?, ?, 0, ?)", [
      id,
      from,
      to,
      wallAt,
    ]);
    return id;
  });
}

/** Lets the next process claim the span without waiting. */
async function release(tables: LedgerTables, id: number): Promise<void> {
  await tables
    .changeUnsynced((query) => query("DELETE FROM ledger_total_spans WHERE id = ? AND kept = 0", [id]))
    .catch(cannotBeStored);
}

type Claimed = TimeInterval & { readonly id: number };

/** Few enough to keep each transaction short. */
const LINES_AT_ONCE = 500;

/** False if the claim is gone, or another change of that day's runs is in progress. */
async function store(tables: LedgerTables, claimed: Claimed, lines: readonly TotalLine[]): Promise<boolean> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE);
    const isStored = await whileClaimed(tables, claimed, async (query) => {
      const row = `(${["span", "line", ...COLUMNS].map(() => "?").join(", ")})`;
      await query(
        `INSERT INTO ledger_totals (span, line, ${COLUMNS.join(", ")}) VALUES ${some.map(() => row).join(", ")}`,
        some.flatMap((line, number) => [claimed.id, at + number, ...COLUMNS.map((name) => line[name])]),
      );
    });
    if (!isStored) return false;
  }
  return whileClaimed(tables, claimed, async (query) => {
    const { id, from, to } = claimed;
    const sentOf = (what: string): string => `(SELECT ${what} FROM ledger_totals AS x WHERE x.span = ?)`;
    await query(
      `UPDATE ledger_total_spans SET kept = 1, sent_first = ${sentOf("min(x.sent_first)")},
         sent_last = ${sentOf("max(x.sent_last)")} WHERE id = ?`,
      [id, id, id],
    );
    // Totals of the span's parts are no longer needed.
    await query("DELETE FROM ledger_total_spans WHERE from_at >= ? AND to_at <= ? AND id <> ?", [from, to, id]);
  });
}

/** Runs `work` while no other change of the runs can happen. False if one has happened: the claim is gone. */
function whileClaimed(
  tables: LedgerTables,
  { id, from }: Claimed,
  work: (query: LedgerQuery) => Promise<void>,
): Promise<boolean> {
  return tables.changeUnsynced(async (query) => {
    if (!(await tables.lockDay(query, dayOf(from)))) return false;
    if ((await query("SELECT t.id FROM ledger_total_spans AS t WHERE t.id = ?", [id])).length === 0) return false;
    await work(query);
    return true;
  });
}
