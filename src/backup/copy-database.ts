import { closeSync, openSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";

/** Four MiB with the usual pages: enough to be fast, and few enough to show progress. */
const PAGES_AT_ONCE = 1_024;
/** Only a change of the whole file, such as a recovery after a kill, keeps a reader waiting. */
const WAIT_MS = 30_000;

export type OnBytes = (copied: number, of: number) => void;

/**
 * Copies a SQLite database as it is at one moment. Others may write to it meanwhile. A read transaction is open until
 * the end, because SQLite begins a copy again from its first page whenever another process has written, unless the
 * copy's own connection keeps reading the same moment. Returns what `read` finds in the same moment.
 */
export async function copyDatabase<Facts>(
  from: string,
  to: string,
  onBytes: OnBytes,
  read: (source: DatabaseSync) => Facts,
): Promise<Facts> {
  // SQLite would create it with a mode that depends on the process.
  closeSync(openSync(to, "wx", 0o600));
  const source = new DatabaseSync(from, { readOnly: true, timeout: WAIT_MS });
  try {
    const { page_size: pageBytes } = source.prepare("PRAGMA page_size").get() as { readonly page_size: number };
    source.exec("BEGIN");
    // A transaction begins to read with its first query.
    const facts = read(source);
    const pages = await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) =>
        onBytes((totalPages - remainingPages) * pageBytes, totalPages * pageBytes),
    });
    // The last step is not told.
    onBytes(pages * pageBytes, pages * pageBytes);
    return facts;
  } finally {
    source.close();
  }
}
