import { DatabaseSync } from "node:sqlite";

/**
 * Makes this process the only one that has locked the file, until it releases the lock or dies in any way. The lock
 * belongs to the operating system, on an otherwise empty SQLite file, which is created if there is none.
 * @throws if another process has the lock and keeps it for this time, or the file cannot be used
 */
export function lockFile(file: string, waitMs: number): () => void {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec("PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw error;
  }
  return () => database.close();
}

const SQLITE_BUSY = 5;

/** Whether the error of `lockFile` means that another process has the lock. */
export function isLockedByAnother(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
