import { JournalTables } from "../journal/journal-tables.ts";

/** The id of the journal in a directory; `null` if it cannot be read. */
export function readJournalId(directory: string): string | null {
  try {
    const tables = new JournalTables(directory);
    try {
      return tables.id();
    } finally {
      tables.close();
    }
  } catch {
    return null;
  }
}
