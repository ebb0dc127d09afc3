import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { positionOf } from "../column.ts";
import { RUN_COLUMNS } from "../columns.ts";
import { isDamage } from "./journal-damage.ts";
import { COMMAND_WAIT_MS, inTransaction } from "./journal-database.ts";
import { JOURNAL_FILE } from "./journal-file.ts";
import { JournalWriter } from "./journal-writer.ts";
import { isUsable } from "./migrate-journal.ts";
import { listOutcomeFiles, readOutcomes, type NumberedRecord } from "./outcome-files.ts";
import { RUN_LINE, type RunRecordLine } from "./record-lines.ts";

const TRANSACTION_ID = positionOf(RUN_COLUMNS, "transaction_id");

/** The position up to which the log has been moved into the journal. */
export function movedTo(database: DatabaseSync): number {
  const row = database.prepare("SELECT number FROM moved").get() as { readonly number: number } | undefined;
  return row?.number ?? 0;
}

/** Call it in the transaction that has added the outcomes. */
export function recordMoved(database: DatabaseSync, number: number): void {
  database
    .prepare(
      `INSERT INTO moved (only, number) VALUES (1, ?)
       ON CONFLICT (only) DO UPDATE SET number = max(number, excluded.number)`,
    )
    .run(number);
}

export interface Replayed {
  readonly lost: number;
  /** Greater than every number in the log. */
  readonly next: number;
}

/** Adds the outcomes of an earlier process to the journal when a service starts. A run that exists stays unchanged. */
export function replayOutcomes(database: DatabaseSync, writer: JournalWriter, directory: string): Replayed {
  const moved = movedTo(database);
  const { records, lost } = readOutcomes(directory, moved);
  const last = records.at(-1)?.number;
  if (last === undefined) return { lost, next: moved + 1 };
  inTransaction(database, () => {
    writer.begin();
    for (const record of parsed(records)) writer.add(record);
    recordMoved(database, last);
    if (lost > 0)
      database.prepare("INSERT INTO lost_outcomes (noted_at, outcomes) VALUES (?, ?)").run(Date.now(), lost);
  });
  return { lost, next: last + 1 };
}

function parsed(records: readonly NumberedRecord[]): readonly RunRecordLine[] {
  return records.map(({ text }) => JSON.parse(text) as RunRecordLine);
}

/**
 * For readers in another process, or after the service has died: adds outcomes that are only in the log to the journal,
 * so that readers see every run with a sent answer. It does not record the position in the log; only the service does.
 * Returns false if the journal's damage or version prevented this.
 */
export function catchUp(directory: string): boolean {
  if (listOutcomeFiles(directory).length === 0) return true;
  const database = new DatabaseSync(join(directory, JOURNAL_FILE), { timeout: COMMAND_WAIT_MS });
  try {
    if (!isUsable(database)) return false;
    const isThere = database.prepare("SELECT 1 FROM runs WHERE transaction_id = ?");
    const missing = (): readonly RunRecordLine[] =>
      parsed(readOutcomes(directory, movedTo(database)).records).filter(
        ([run]) => isThere.get(RUN_LINE.read(run)[TRANSACTION_ID]!) === undefined,
      );
    if (missing().length === 0) return true;
    database.exec("PRAGMA synchronous = FULL");
    inTransaction(database, () => {
      const writer = new JournalWriter(database);
      writer.begin();
      for (const record of missing()) writer.add(record);
    });
    return true;
  } catch (error) {
    // The reader will report the damage, and can read the other runs.
    if (!isDamage(error)) throw error;
    return false;
  } finally {
    database.close();
  }
}
