import { type FileHandle, open } from "node:fs/promises";
import { OperatorError } from "../terms/operator-error.ts";
import type { BatchFiles } from "./batch-files.ts";
import type { BatchRecord } from "./record.ts";
import type { RecordIndex } from "./records-file.ts";
import { type BatchState, stateLine } from "./state-file.ts";

/**
 * Writes the records and the state of a batch. All that is to be written at a time is written together: first the
 * records, then the lines of the state that rely on them, each synced to disk once.
 */
export class BatchJournal {
  readonly #state: BatchState;
  readonly #index: RecordIndex;
  readonly #files: OpenFiles;
  #next: Group = newGroup();
  #writing: Promise<void> | null = null;
  #failure: OperatorError | null = null;

  private constructor(state: BatchState, index: RecordIndex, files: OpenFiles) {
    this.#state = state;
    this.#index = index;
    this.#files = files;
  }

  /** Continues both files behind their last complete lines. */
  static async open(
    files: BatchFiles,
    state: BatchState,
    index: RecordIndex,
    stateBytes: number,
  ): Promise<BatchJournal> {
    return new BatchJournal(state, index, {
      records: await openAt(files.records, index.bytes),
      failed: await openAt(files.failed, null),
      state: await openAt(files.state, stateBytes),
    });
  }

  /** Resolves when the request may be sent. */
  async asked(row: number, ref: string): Promise<void> {
    await this.#write({ line: stateLine.asked(row, ref) });
    this.#state.asked(row, ref);
  }

  /** Resolves when the answer cannot be lost any more. `isOpen`: sources of it were not called. */
  async answered(record: BatchRecord, isOpen: boolean): Promise<void> {
    const { row, transaction_id: run } = record;
    await this.#write({ record, line: isOpen ? stateLine.open(row, run) : stateLine.done(row, run) });
    this.#state.set(row, isOpen ? "open" : "done");
  }

  async rejected(row: number, entry: object): Promise<void> {
    await this.#write({ failed: entry, line: stateLine.rejected(row) });
    this.#state.set(row, "rejected");
  }

  /** Its request has certainly led to no run. A row that had a record keeps it, and is `open` again. */
  async free(row: number): Promise<void> {
    const isOpen = this.#index.has(row);
    await this.#write({ line: isOpen ? stateLine.open(row, "-") : stateLine.free(row) });
    this.#state.set(row, isOpen ? "open" : "none");
  }

  async lost(row: number, run: string): Promise<void> {
    await this.#write({ line: stateLine.lost(row, run) });
    this.#state.lost(row, run);
  }

  async line(line: string): Promise<void> {
    await this.#write({ line });
  }

  /** Waits for what is being written, and closes the files. */
  async close(): Promise<void> {
    await this.#writing;
    await Promise.all(Object.values(this.#files).map((file) => file.close()));
  }

  #write({ record, failed, line }: Entry): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const group = this.#next;
    if (record !== undefined) {
      const text = `${JSON.stringify(record)}\n`;
      group.records.push(text);
      group.rows.push([record.row, Buffer.byteLength(text)]);
    }
    if (failed !== undefined) group.failed.push(`${JSON.stringify(failed)}\n`);
    group.lines.push(line);
    this.#writing ??= this.#writeGroups();
    return group.written;
  }

  async #writeGroups(): Promise<void> {
    // Rows whose answers arrive in the same tick share a group.
    await new Promise(setImmediate);
    while (this.#next.lines.length > 0) {
      const group = this.#next;
      this.#next = newGroup();
      try {
        await append(this.#files.records, group.records);
        await append(this.#files.failed, group.failed);
        await append(this.#files.state, group.lines);
        for (const [row, bytes] of group.rows) this.#index.add(row, bytes);
        group.resolve();
      } catch (cause) {
        const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
        this.#failure = new OperatorError("unavailable", `The files of the batch cannot be written (${code}).`, {
          cause,
        });
        group.reject(this.#failure);
        this.#next.reject(this.#failure);
        this.#next = newGroup();
      }
    }
    this.#writing = null;
  }
}

interface OpenFiles {
  readonly records: FileHandle;
  readonly failed: FileHandle;
  readonly state: FileHandle;
}

interface Entry {
  readonly record?: BatchRecord;
  readonly failed?: object;
  readonly line: string;
}

interface Group {
  readonly records: string[];
  readonly rows: (readonly [row: number, bytes: number])[];
  readonly failed: string[];
  readonly lines: string[];
  readonly written: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

function newGroup(): Group {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Those who wait for it handle its failure.
  promise.catch(() => {});
  return { records: [], rows: [], failed: [], lines: [], written: promise, resolve, reject };
}

async function append(file: FileHandle, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await file.appendFile(lines.join(""));
  await file.datasync();
}

/** Opens a file to append to it, and cuts off what follows its last complete line. */
async function openAt(path: string, bytes: number | null): Promise<FileHandle> {
  const file = await open(path, "a", 0o600);
  if (bytes !== null) await file.truncate(bytes);
  return file;
}
