import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { syncDirectory } from "../../terms/platform/make-directory.ts";
import { JOURNAL_FILE } from "./journal-file.ts";
import { migrateJournal } from "./migrate-journal.ts";

/** How long a command waits for writes of a running service, which may have no pauses on a busy machine. */
export const COMMAND_WAIT_MS = 30_000;
/** How long to wait for operators' verbs, which hold the write lock briefly. */
const BUSY_MS = 5_000;
/** How long a start waits for readers of the journal. */
const READER_MS = 200;

/**
 * Opens the journal for writing: every commit is synced before it returns. First it writes the content of the
 * write-ahead log, which an earlier process or a failed sync has left, to the database file again and syncs it. A page
 * that the kernel failed to write is never assumed to have been written since.
 * @param afterFailure a disk has failed since the service started: no reader may prevent the log from being emptied
 */
export function openJournal(directory: string, walBytesMax: number, afterFailure: boolean): DatabaseSync {
  const path = join(directory, JOURNAL_FILE);
  // SQLite gives the database file's mode to the files beside it.
  closeSync(openSync(path, "a", 0o600));
  syncDirectory(directory);
  const database = new DatabaseSync(path, { timeout: BUSY_MS, enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    // The writer checkpoints when it is idle. This limit applies only if it is not idle for a long time.
    database.exec(`PRAGMA wal_autocheckpoint = ${Math.ceil((2 * walBytesMax) / 4096)}`);
    database.exec(`PRAGMA journal_size_limit = ${walBytesMax}`);
    emptyWriteAheadLog(database, afterFailure);
    migrateJournal(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * A reader, such as a backup, may prevent the log from being emptied. That is a failure only after a disk has failed.
 */
function emptyWriteAheadLog(database: DatabaseSync, mustBeEmptied: boolean): void {
  if (!mustBeEmptied) database.exec(`PRAGMA busy_timeout = ${READER_MS}`);
  const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  if (busy !== 0 && mustBeEmptied)
    throw Object.assign(new Error("the journal is being read and cannot be opened"), { code: "EBUSY" });
}

/** The operating system's code of a disk failure, even if SQLite has wrapped it. */
export function diskErrorCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "UNKNOWN";
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === "number") return SQLITE_CODES[errcode & 0xff] ?? `SQLITE_${errcode}`;
  return typeof code === "string" ? code : "UNKNOWN";
}

const SQLITE_CODES: { readonly [code: number]: string } = {
  5: "EBUSY",
  6: "EBUSY",
  8: "EROFS",
  10: "EIO",
  11: "CORRUPT",
  13: "ENOSPC",
  14: "ENOENT",
  26: "CORRUPT",
};

/** Runs `work` in a transaction that holds the write lock from its beginning. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
