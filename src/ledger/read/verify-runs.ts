import { spanAfter, spanOf } from "../../terms/ids.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { isDamage } from "../journal/journal-damage.ts";
import type { LedgerTables } from "../ports.ts";
import { readRuns } from "./read-runs.ts";
import { verifyTotals } from "./verify-totals.ts";
import { Tally, type Verified } from "./verified.ts";

const RUNS_A_PAGE = 200;
const BEFORE_EVERY_ID = "";

/**
 * Checks every run of a shared ledger, a few at a time, while machines continue to write it. A vanished run is detected
 * by its remaining calls or, without calls, by the count of added and not deleted runs. Checking indexes needs the
 * database's own tools.
 */
export async function verifyRuns(tables: LedgerTables, onProgress: OnProgress = () => {}): Promise<Verified> {
  const { query } = tables;
  const [counted] = await query<{ readonly runs: number | null }>(
    "SELECT CAST(sum(runs) AS bigint) AS runs FROM ledger_run_counts",
  ).catch(() => []);
  let checked = 0;
  const tally = new Tally();
  const orphansOf = new Map<string, number>();
  let after = BEFORE_EVERY_ID;
  for (let more = true; more;) {
    const ids = await query<{ readonly transaction_id: string }>(
      `SELECT r.transaction_id FROM ledger_runs AS r WHERE r.transaction_id > ? ORDER BY r.transaction_id LIMIT ?`,
      [after, RUNS_A_PAGE],
    ).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      tally.structure(`runs after ${after || "the beginning"} cannot be read: ${(error as Error).message}`);
      return null;
    });
    if (ids === null) break;
    const transactionIds = ids.map((row) => row.transaction_id);
    for (const { transactionId, row, damaged } of await readRuns(query, transactionIds)) {
      if (!damaged) tally.sound(row!.run.checksum !== null);
      else tally.found({ what: row === null ? "unreadable" : "altered", transactionId, number: null });
    }
    checked += ids.length;
    onProgress("runs checked", checked, counted?.runs ?? undefined);
    more = ids.length === RUNS_A_PAGE;
    const upTo = more ? transactionIds.at(-1)! : null;
    for (const transactionId of await findOrphans(query, after, upTo, tally)) {
      tally.found({ what: "missing", transactionId, number: null });
      const span = spanOf(transactionId);
      orphansOf.set(span, (orphansOf.get(span) ?? 0) + 1);
    }
    after = upTo ?? after;
  }
  await missVanished(query, orphansOf, tally);
  await verifyTotals(tables, tally, onProgress);
  return tally.result();
}

/**
 * Ids of missing runs with remaining calls. One statement, since runs and their calls are added and deleted meanwhile.
 */
async function findOrphans(
  query: LedgerTables["query"],
  after: string,
  upTo: string | null,
  tally: Tally,
): Promise<readonly string[]> {
  const orphans = await query<{ readonly transaction_id: string }>(
    `SELECT DISTINCT c.transaction_id FROM ledger_calls AS c
     LEFT JOIN ledger_runs AS r ON r.transaction_id = c.transaction_id
     WHERE c.transaction_id > ? ${upTo === null ? "" : "AND c.transaction_id <= ?"} AND r.transaction_id IS NULL`,
    upTo === null ? [after] : [after, upTo],
  ).catch((error: unknown) => {
    if (!isDamage(error)) throw error;
    tally.structure(`calls of runs after ${after || "the beginning"} cannot be read: ${(error as Error).message}`);
    return [];
  });
  return orphans.map(({ transaction_id: id }) => id);
}

/**
 * Compares the number of added and not deleted runs with existing ones, for runs with a common id prefix, in a
 * snapshot.
 */
async function missVanished(
  query: LedgerTables["query"],
  orphansOf: ReadonlyMap<string, number>,
  tally: Tally,
): Promise<void> {
  const spans = await query<{ readonly span: string }>(
    "SELECT span FROM ledger_run_counts GROUP BY span HAVING sum(runs) > 0 ORDER BY span",
  );
  for (const { span } of spans) {
    const [row] = await query<{ readonly counted: number; readonly found: number }>(
      `SELECT (SELECT CAST(sum(runs) AS bigint) FROM ledger_run_counts WHERE span = ?) AS counted,
         (SELECT count(*) FROM ledger_runs AS r WHERE r.transaction_id >= ? AND r.transaction_id < ?) AS found`,
      [span, span, spanAfter(span)],
    );
    // The count may be too low: versions without the count have added runs.
    const vanished = row!.counted - row!.found - (orphansOf.get(span) ?? 0);
    if (vanished <= 0) continue;
    tally.missing(vanished);
    tally.structure(`runs that are gone and have left nothing: ${vanished}, of those whose ids begin with ${span}`);
  }
}
