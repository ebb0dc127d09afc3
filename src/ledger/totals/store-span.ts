import type { TimeSpan } from "../../terms/time/calendar.ts";
import { randomInt } from "node:crypto";
import type { OnProgress } from "../../terms/on-progress.ts";
import type { LedgerQuery, LedgerTables } from "../ports.ts";
import { dayOf } from "./spans.ts";

/*
 * Storing totals of a span so that they always match its rows:
 * 1. Claim the span, in a transaction that begins while no other change of its runs is in progress.
 * 2. Sum up its rows. A concurrent change of one of its runs deletes the claim, as it would delete the totals.
 * 3. Store the totals only if the claim still exists.
 */

/** The tables of one kind of totals. Triggers delete a span, and its lines, when a run of its time changes. */
export interface SpanTables {
  readonly spans: string;
  /** The column of `spans` that has the time of a claim. */
  readonly claimedAt: string;
  /** Further assignments when the lines are stored. */
  readonly whenKept: string;
  readonly lines: string;
  /** The columns of `lines` without `span`. */
  readonly columns: readonly string[];
  /** Shorter parts of a span are no longer needed when it has totals itself. */
  readonly partsBelowMs: number;
}

/** The values of `columns`. */
export type SpanLine = readonly (string | number | null)[];

export interface MakeOptions {
  /** Checked between long statements, so that a stopping service starts no further one. */
  readonly isClosed?: (() => boolean) | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** Stores the totals of each span. A failure for one span does not stop the others; the first is thrown at the end. */
export async function storeSpans(
  tables: LedgerTables,
  kind: SpanTables,
  spans: readonly TimeSpan[],
  readLines: (span: TimeSpan) => Promise<readonly SpanLine[] | null>,
  { isClosed = () => false, onProgress = () => {} }: MakeOptions,
): Promise<void> {
  const errors: unknown[] = [];
  for (const [done, span] of spans.entries()) {
    if (isClosed()) return;
    onProgress("parts of the time summed up", done, spans.length);
    const canBeStored = await storeSpan(tables, kind, span, readLines).catch(
      (error: unknown) => void errors.push(error),
    );
    if (canBeStored === false) break;
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * False if totals cannot be stored here. A concurrent change of the runs, or another process that makes the same
 * totals, is not a reason.
 */
async function storeSpan(
  tables: LedgerTables,
  kind: SpanTables,
  span: TimeSpan,
  readLines: (span: TimeSpan) => Promise<readonly SpanLine[] | null>,
): Promise<boolean> {
  const id = await claim(tables, kind, span).catch(cannotBeStored);
  if (typeof id === "boolean") return id;
  let hasTotals = false;
  try {
    const lines = await readLines(span);
    hasTotals = lines !== null && (await store(tables, kind, { ...span, id }, lines));
    return true;
  } finally {
    if (!hasTotals) await release(tables, kind, id);
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
async function claim(
  tables: LedgerTables,
  { spans, claimedAt }: SpanTables,
  { from, to }: TimeSpan,
): Promise<number | true> {
  const wallAt = await tables.wallAt();
  return tables.changeUnsynced(async (query) => {
    if (!(await tables.lockDay(query, dayOf(from)))) return true;
    const [existing] = await query<{ readonly kept: number; readonly claimed_at: number | null }>(
      `SELECT t.kept, t.${claimedAt} AS claimed_at FROM ${spans} AS t WHERE t.from_at = ? AND t.to_at = ?`,
      [from, to],
    );
    if (existing?.kept === 1) return true;
    // Another process is summing up this span. If two took the claim from each other, neither would finish.
    if (existing !== undefined && Math.abs(wallAt - (existing.claimed_at ?? 0)) < CLAIM_MS_MAX) return true;
    await query(`DELETE FROM ${spans} WHERE from_at = ? AND to_at = ?`, [from, to]);
    const id = randomInt(IDS);
    await query(`INSERT INTO ${spans} (id, from_at, to_at, kept, ${claimedAt}) VALUES (?, ?, ?, 0, ?)`, [
      id,
      from,
      to,
      wallAt,
    ]);
    return id;
  });
}

/** Lets the next process claim the span without waiting. */
async function release(tables: LedgerTables, { spans }: SpanTables, id: number): Promise<void> {
  await tables
    .changeUnsynced((query) => query(`DELETE FROM ${spans} WHERE id = ? AND kept = 0`, [id]))
    .catch(cannotBeStored);
}

type Claimed = TimeSpan & { readonly id: number };

/** Few enough to keep each transaction short. */
const LINES_AT_ONCE = 500;

/** False if the claim is gone, or another change of that day's runs is in progress. */
async function store(
  tables: LedgerTables,
  kind: SpanTables,
  claimed: Claimed,
  lines: readonly SpanLine[],
): Promise<boolean> {
  const insert = async (query: LedgerQuery, some: readonly SpanLine[]): Promise<void> => {
    if (some.length === 0) return;
    const row = `(?, ${kind.columns.map(() => "?").join(", ")})`;
    await query(
      `INSERT INTO ${kind.lines} (span, ${kind.columns.join(", ")}) VALUES ${some.map(() => row).join(", ")}`,
      some.flatMap((line) => [claimed.id, ...line]),
    );
  };
  let at = 0;
  for (; at + LINES_AT_ONCE < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE);
    if (!(await whileClaimed(tables, kind, claimed, (query) => insert(query, some)))) return false;
  }
  return whileClaimed(tables, kind, claimed, async (query) => {
    const { id, from, to } = claimed;
    await insert(query, lines.slice(at));
    await query(`UPDATE ${kind.spans} SET kept = 1${kind.whenKept} WHERE id = ?`, [id]);
    // Totals of the span's parts are no longer needed.
    await query(`DELETE FROM ${kind.spans} WHERE from_at >= ? AND to_at <= ? AND to_at - from_at < ? AND id <> ?`, [
      from,
      to,
      kind.partsBelowMs,
      id,
    ]);
  });
}

/** Runs `work` while no other change of the runs can happen. False if one has happened: the claim is gone. */
function whileClaimed(
  tables: LedgerTables,
  { spans }: SpanTables,
  { id, from }: Claimed,
  work: (query: LedgerQuery) => Promise<void>,
): Promise<boolean> {
  return tables.changeUnsynced(async (query) => {
    if (!(await tables.lockDay(query, dayOf(from)))) return false;
    if ((await query(`SELECT t.id FROM ${spans} AS t WHERE t.id = ?`, [id])).length === 0) return false;
    await work(query);
    return true;
  });
}
