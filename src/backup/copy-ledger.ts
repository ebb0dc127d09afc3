import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { listIntentFiles } from "../ledger/journal/intent-files.ts";
import { JOURNAL_FILE } from "../ledger/journal/journal-file.ts";
import { versionOf } from "../ledger/journal/migrate-journal.ts";
import { catchUp } from "../ledger/journal/replay-outcomes.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { copyDatabase, type OnBytes } from "./copy-database.ts";

/**
 * Copies the ledger of a data directory: first the intent files, then the journal. The order matters:
 *
 * 1. The intents are copied first. An intent file is deleted only when the outcomes of its runs are on disk. So for
 *    each request that was sent before the copy began, the copy has the intent, or the run had ended before.
 * 2. `catchUp` then adds to the journal what is only in the log of outcomes, as it does for every reader. A run is
 *    answered only when its outcome is in the log or in the journal. So the journal now has each run that was answered
 *    before the copy began. The log itself need not be copied.
 * 3. The journal is copied as of one later moment.
 *
 * A start on the copy records runs with intents and without outcome as `unknown`, as after a kill. A run that ended
 * between the first and the second step is in the journal, which settles its intents.
 * @throws OperatorError if the log of outcomes cannot be moved into the journal
 */
export async function copyLedger(from: string, to: string, onBytes: OnBytes): Promise<CopiedLedger> {
  const names = [];
  for (const { name } of listIntentFiles(from)) {
    const lines = wholeLines(join(from, name));
    if (lines === null || lines.length === 0) continue;
    writeFileSync(join(to, name), lines, { mode: 0o600, flag: "wx" });
    names.push(name);
  }
  if (!catchUp(from)) throw new OperatorError("refused", cannotCatchUp(from));
  const facts = await copyDatabase(join(from, JOURNAL_FILE), join(to, JOURNAL_FILE), onBytes, factsOf);
  return { ...facts, names: [...names, JOURNAL_FILE] };
}

export interface CopiedLedger {
  readonly names: readonly string[];
  /** The id of the journal. */
  readonly id: string;
  readonly schema: number;
}

function factsOf(journal: DatabaseSync): Omit<CopiedLedger, "names"> {
  const { id } = journal.prepare("SELECT id FROM journal").get() as { readonly id: string };
  return { id, schema: versionOf(journal) };
}

function cannotCatchUp(directory: string): string {
  return `The journal in ${directory} is damaged, or was written by another version of datarun. The newest runs cannot be added to it. Stop the service, and copy the whole data directory.`;
}

/**
 * The complete lines of a file. An incomplete last line can be left out, because its request is not sent before the
 * write returns. `null`: the file was deleted, because the outcomes of its runs are on disk.
 */
function wholeLines(path: string): Buffer | null {
  try {
    const bytes = readFileSync(path);
    return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
