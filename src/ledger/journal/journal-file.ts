import { existsSync } from "node:fs";
import { join } from "node:path";

/** The journal's database, in its directory. */
export const JOURNAL_FILE = "journal.db";

export function hasJournal(directory: string): boolean {
  return existsSync(join(directory, JOURNAL_FILE));
}
