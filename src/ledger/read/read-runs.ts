import { isDamage } from "../journal/journal-damage.ts";
import { selectionOf } from "../column.ts";
import { RUN_COLUMNS } from "../columns.ts";
import type { LedgerQuery, RunReportRow, RunRow } from "../ports.ts";
import { isSound } from "../journal/run-checksum.ts";
import { withAllRows } from "./whole-runs.ts";

/** A run as it was found. */
export interface FoundRun {
  readonly transactionId: string;
  /** Null where its rows cannot be read. */
  readonly row: RunReportRow | null;
  /** Its rows are not what was written, or cannot be read. */
  readonly damaged: boolean;
}

/** A run may be settled between two statements of ours: what still does not fit then was damaged. */
const LOOKS = 3;

/**
 * Runs by their ids, each with everything that belongs to it, in the order they were given; what is not there is left out.
 * Few enough for one statement. Damage of one run is not the others'.
 */
export async function readRuns(query: LedgerQuery, transactionIds: readonly string[]): Promise<readonly FoundRun[]> {
  const rows = await readTogether(query, transactionIds).catch(nullIfDamaged);
  const found: FoundRun[] = [];
  for (const transactionId of transactionIds) {
    const row = rows?.get(transactionId);
    if (row !== undefined && isSound(row)) found.push({ transactionId, row, damaged: false });
    else if (row !== undefined || rows === null) found.push(...(await readAlone(query, transactionId)));
  }
  return found;
}

async function readAlone(query: LedgerQuery, transactionId: string): Promise<readonly FoundRun[]> {
  let row: RunReportRow | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    const rows = await readTogether(query, [transactionId]).catch(nullIfDamaged);
    if (rows === null) return [{ transactionId, row: null, damaged: true }];
    row = rows.get(transactionId) ?? null;
    if (row === null) return [];
    if (isSound(row)) return [{ transactionId, row, damaged: false }];
  }
  return [{ transactionId, row, damaged: true }];
}

async function readTogether(
  query: LedgerQuery,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, RunReportRow>> {
  if (transactionIds.length === 0) return new Map();
  const runs = await query<RunRow>(
    `SELECT ${selectionOf(RUN_COLUMNS, "r")} FROM ledger_runs AS r
     WHERE r.transaction_id IN (${transactionIds.map(() => "?").join(", ")})`,
    transactionIds,
  );
  const rows = await withAllRows(query, runs);
  return new Map(rows.map((row) => [row.run.transaction_id, row]));
}

function nullIfDamaged(error: unknown): null {
  if (isDamage(error)) return null;
  throw error;
}
