import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { bootId } from "../../terms/platform/boot-id.ts";
import { fileIdentity } from "../../terms/platform/file-identity.ts";
import { JOURNAL_FILE } from "../journal/journal-file.ts";
import { JournalTables } from "../journal/journal-tables.ts";

/**
 * Names the process that uses the journal in a directory. The next process with the same name starts after this one has
 * ended. A process on a copy of the directory, or on another machine, has another name, because both may run at the
 * same time. `null` if the journal cannot be read.
 */
export function readJournalHolder(directory: string): string | null {
  const id = readJournalId(directory);
  if (id === null) return null;
  try {
    const file = fileIdentity(statSync(join(directory, JOURNAL_FILE), { bigint: true }));
    return createHash("sha256").update(`${id} ${bootId()} ${file}`).digest("base64url").slice(0, 22);
  } catch {
    return null;
  }
}

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
