import { closeSync, openSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";

/** Four MiB with the usual page size: large enough to be fast, small enough to show progress. */
const PAGES_AT_ONCE = 1_024;
/** A reader only waits for a change of the whole file, such as a recovery after a kill. */
const WAIT_MS = 30_000;

export type OnBytes = (copied: number, of: number) => void;

/**
 * Copies a SQLite database as of one moment, while others may write to it. A read transaction stays open until the end:
 * SQLite restarts a copy whenever another process has written, unless the connection of the copy keeps reading the same
 * snapshot. Returns the result of `read` for the same snapshot.
 */
export async function copyDatabase<Facts>(
  from: string,
  to: string,
  onBytes: OnBytes,
  read: (source: DatabaseSync) => Facts,
): Promise<Facts> {
  // Created here, because SQLite would use a mode that depends on the process.
  closeSync(openSync(to, "wx", 0o600));
  const source = new DatabaseSync(from, { readOnly: true, timeout: WAIT_MS });
  try {
    const { page_size: pageBytes } = source.prepare("PRAGMA page_size").get() as { readonly page_size: number };
    source.exec("BEGIN");
    // A transaction takes its snapshot with its first query.
    const facts = read(source);
    const pages = await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) =>
        onBytes((totalPages - remainingPages) * pageBytes, totalPages * pageBytes),
    });
    // SQLite does not report the last step.
    onBytes(pages * pageBytes, pages * pageBytes);
    return facts;
  } finally {
    source.close();
  }
}
