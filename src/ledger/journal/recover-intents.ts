import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { forgottenBefore } from "./journal-pruner.ts";
import type { Recovered } from "./journal-messages.ts";
import type { JournalWriter } from "./journal-writer.ts";
import { readIntents } from "./read-intents.ts";
import type { AttemptLine, CallLine, IntentLine, RunHead } from "./record-lines.ts";
import { chargeOfCall } from "../../terms/charge.ts";
import { toStored } from "./stored-text.ts";

interface Unfinished {
  head: RunHead;
  readonly calls: Map<number, { readonly line: AttemptIntentLine; readonly attempts: AttemptLine[] }>;
}

type AttemptIntentLine = Extract<IntentLine, readonly ["attempt", ...unknown[]]>;

export interface IntentFiles {
  readonly directory: string;
  readonly files: readonly { readonly name: string }[];
  /** Makes their removal survive a power cut. */
  readonly syncFiles: () => void;
}

/**
 * Writes down the runs of an earlier life that have intents and no outcome: what each request was charged as `unknown`,
 * since nobody can know whether the vendor acted on it, unless it is free whatever becomes of it. An outcome that is in the journal settles its run, whether or not its answer
 * ever went out. The files go once that is on disk; dying halfway only means doing it again.
 */
export function recoverIntents(
  database: DatabaseSync,
  writer: JournalWriter,
  { directory, files, syncFiles }: IntentFiles,
): Recovered {
  if (files.length === 0) return { runs: 0, attempts: 0, unreadable: 0 };
  const paths = files.map(({ name }) => join(directory, name));
  const { unfinished, unreadable } = findUnfinished(database, paths);
  // Their outcomes were here, and have been deleted since: a file may outlive the rows of the runs that it names.
  const forgotten = forgottenBefore(database);
  for (const [id, { head }] of unfinished) if (head[9] < forgotten) unfinished.delete(id);
  let attempts = 0;
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const run of unfinished.values()) {
      const calls = [...run.calls.values()].map(asUnknown);
      writer.addUnknown(run.head, calls);
      for (const call of calls) attempts += call[12].length;
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
  for (const path of paths) rmSync(path, { force: true });
  syncFiles();
  return { runs: unfinished.size, attempts, unreadable };
}

function findUnfinished(
  database: DatabaseSync,
  paths: readonly string[],
): { readonly unfinished: Map<string, Unfinished>; readonly unreadable: number } {
  const isWritten = database.prepare("SELECT 1 FROM runs WHERE transaction_id = ?");
  const unfinished = new Map<string, Unfinished>();
  const finished = new Set<string>();
  let unreadable = 0;
  for (const path of paths) {
    for (const line of readIntents(path)) {
      if (line === null) {
        unreadable += 1;
        continue;
      }
      const transactionId = line[1];
      if (finished.has(transactionId)) continue;
      let run = unfinished.get(transactionId);
      if (run === undefined) {
        if (isWritten.get(toStored(transactionId)) !== undefined) {
          finished.add(transactionId);
          continue;
        }
        run = { head: headWithout(line), calls: new Map() };
        unfinished.set(transactionId, run);
      }
      addLine(run, line);
    }
  }
  return { unfinished, unreadable };
}

/** For an attempt whose run's own line is lost: what the attempt itself tells, so that it is on the ledger all the same. */
function headWithout(line: IntentLine): RunHead {
  const sentWallAt = line[0] === "attempt" ? line[9] : line[10];
  return [line[1], "data", "", "", "", "", "", 0, null, sentWallAt];
}

function addLine(run: Unfinished, line: IntentLine): void {
  if (line[0] === "run") {
    const [, ...head] = line;
    run.head = head;
    return;
  }
  const [, , ordinal, number, , origin, method, , , sentWallAt, free] = line;
  let call = run.calls.get(ordinal);
  if (call === undefined) {
    call = { line, attempts: [] };
    run.calls.set(ordinal, call);
  }
  call.attempts.push([number, origin, method, sentWallAt, null, null, free === 1 ? "no" : "unknown"]);
}

function asUnknown({
  line,
  attempts,
}: {
  readonly line: AttemptIntentLine;
  readonly attempts: readonly AttemptLine[];
}): CallLine {
  const [, , ordinal, , source, , , credentialId, rule] = line;
  const charged = chargeOfCall(attempts.map((attempt) => attempt[6]));
  return [ordinal, source, null, null, null, null, charged, credentialId, rule, null, null, null, attempts];
}
