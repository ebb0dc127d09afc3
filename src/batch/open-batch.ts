import { existsSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { randomBytes } from "node:crypto";
import { OperatorError } from "../terms/operator-error.ts";
import { isLockedByAnother, lockFile } from "../terms/platform/lock-file.ts";
import type { BatchFiles } from "./batch-files.ts";
import { BatchJournal } from "./batch-journal.ts";
import type { BatchSpec } from "./batch-spec.ts";
import type { BatchInput } from "./open-input.ts";
import { isUnrun } from "./read-answer.ts";
import type { BatchRecord } from "./record.ts";
import { indexRecords, LineReader, type RecordIndex } from "./records-file.ts";
import { openSources } from "./row-jobs.ts";
import { BatchState, headLine, readStateFile, stateLine } from "./state-file.ts";
import { syncFolder } from "./write-output.ts";

/** The files of a batch while this process works on it. */
export interface OpenedBatch {
  readonly state: BatchState;
  readonly index: RecordIndex;
  readonly journal: BatchJournal;
  /** Whether an earlier process has begun it. */
  readonly isContinued: boolean;
  recordOf(row: number): BatchRecord | null;
  close(): Promise<void>;
}

const LOCK_WAIT_MS = 200;

/** @throws OperatorError if another process works on the same output, or the lock cannot be made */
export function lockBatch({ lock, out }: BatchFiles): () => void {
  try {
    return lockFile(lock, LOCK_WAIT_MS);
  } catch (cause) {
    const reason = isLockedByAnother(cause) ? "another process works on it" : "no file can be made beside it";
    throw new OperatorError("refused", `The batch ${out} cannot be run: ${reason}.`, { cause });
  }
}

/** Begins the batch, or continues it where an earlier process has ended. @throws OperatorError if it is another batch */
export async function openBatch(files: BatchFiles, input: BatchInput, spec: BatchSpec): Promise<OpenedBatch> {
  const found = await readStateFile(files.state);
  const other = found === null ? null : differenceFrom(found.state.identity, input, spec);
  if (found === null) await requireNoOutput(files);
  else if (other !== null && isAnyAsked(found.state))
    throw new OperatorError(
      "refused",
      `${files.out} is of a batch with another ${other}. Choose another --out for this one.`,
    );
  const read = other === null ? found : null;
  // What a batch of which nothing was asked has rejected is of no use to this one.
  if (other !== null) await rm(files.failed, { force: true });
  const { state, bytes } = read ?? (await begin(files, input, spec));
  const index = await indexRecords(files.records);
  requireRecords(state, index, files);
  const journal = await BatchJournal.open(files, state, index, bytes);
  let reader: LineReader | null = null;
  const recordOf = (row: number): BatchRecord | null => {
    if (!index.has(row)) return null;
    reader ??= new LineReader(files.records);
    return reader.recordAt(index.offsetOf(row));
  };
  await finishAnswered(state, index, journal, recordOf);
  return {
    state,
    index,
    journal,
    isContinued: read !== null,
    recordOf,
    async close() {
      reader?.close();
      await journal.close();
    },
  };
}

async function begin(files: BatchFiles, { sha256, rows }: BatchInput, spec: BatchSpec) {
  const identity = { id: randomBytes(6).toString("hex"), sha256, rows, spec };
  const head = headLine(identity);
  const file = await open(files.state, "w", 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorError("refused", `${files.state} cannot be created (${cause.code}).`, { cause });
  });
  try {
    await file.writeFile(head);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(files.state));
  return { state: new BatchState(identity), bytes: Buffer.byteLength(head) };
}

async function requireNoOutput({ out, records, state }: BatchFiles): Promise<void> {
  for (const file of new Set([out, records])) {
    if (existsSync(file) && (await stat(file)).size > 0)
      throw new OperatorError("refused", `${file} exists already, and ${state} does not say of which batch.`);
  }
}

/** Whether anything would be lost with this state: answers, requests that may have been billed, or a budget. */
function isAnyAsked(state: BatchState): boolean {
  const { scope, used } = state.budget;
  const isUnasked = state.count("none") + state.count("rejected") === state.identity.rows;
  return !isUnasked || scope !== null || used.length > 0;
}

/** The first thing that differs from the batch that was begun, as a person calls it. */
function differenceFrom(identity: BatchState["identity"], input: BatchInput, spec: BatchSpec): string | null {
  if (identity.sha256 !== input.sha256) return "input file";
  const names: Readonly<Record<keyof BatchSpec, string>> = {
    sources: "--sources",
    func: "--func",
    workflow: "--workflow",
    context: "--context",
    columns: "mapping of columns",
    constants: "--const",
    kept: "--keep",
  };
  for (const [name, what] of Object.entries(names)) {
    const [before, now] = [identity.spec[name as keyof BatchSpec], spec[name as keyof BatchSpec]];
    if (sorted(before) !== sorted(now)) return what;
  }
  return null;
}

function sorted(value: BatchSpec[keyof BatchSpec]): string {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  return JSON.stringify(isMap ? Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)) : value);
}

function requireRecords(state: BatchState, index: RecordIndex, { records, state: path }: BatchFiles): void {
  let missing = 0;
  for (const answered of ["done", "open"] as const)
    for (const row of state.rowsIn(answered)) if (!index.has(row)) missing += 1;
  if (missing > 0)
    throw new OperatorError(
      "refused",
      `${records} lacks the records of ${missing} rows that ${path} says are answered.`,
    );
}

/** An answer whose record is durable counts, also if the process ended before it could say so. */
async function finishAnswered(
  state: BatchState,
  index: RecordIndex,
  journal: BatchJournal,
  recordOf: (row: number) => BatchRecord | null,
): Promise<void> {
  for (const [row, ref] of state.unanswered()) {
    const record = recordOf(row);
    if (record?.ref !== ref) continue;
    const isOpen = openSources(record).length > 0 || (record.function !== undefined && isUnrun(record.function));
    const { transaction_id: run } = record;
    await journal.line(isOpen ? stateLine.open(row, run) : stateLine.done(row, run));
    state.set(row, isOpen ? "open" : "done");
  }
}
