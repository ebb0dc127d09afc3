import { createReadStream } from "node:fs";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { BatchSpec } from "./batch-spec.ts";

/** The first line of a state file: which batch it belongs to. */
export interface BatchIdentity {
  /** The beginning of every request's id. */
  readonly id: string;
  /** SHA-256 of the input file, in hexadecimal. */
  readonly sha256: string;
  readonly rows: number;
  readonly spec: BatchSpec;
}

/**
 * What a state file says of a row.
 *
 * - `open`: it was answered, but sources of it were not called, and can be asked without a second bill.
 * - `asked`: a request may have been sent, and no answer was recorded.
 * - `lost`: the ledger has its run, but no answer was recorded.
 * - `rejected`: nothing can be asked for it.
 */
export const ROW_STATES = ["none", "asked", "done", "open", "rejected", "lost"] as const;
export type RowState = (typeof ROW_STATES)[number];

/** What the budget of a batch applies to. No other budget has the same scope. */
export interface BudgetScopeOfBatch {
  readonly organization: string;
  readonly workflow: string;
  readonly source: string | null;
  readonly currency: string;
  readonly time_zone: string;
}

/** The budget that a batch has set for itself, and what earlier ones of it have used. */
export interface BudgetState {
  /** That of the budget that may exist now; `null` if it was removed, or none was set. */
  readonly scope: BudgetScopeOfBatch | null;
  /** What removed budgets had used, as texts such as `1.40 EUR`. */
  readonly used: readonly string[];
}

/** The rows of a batch and their states: one byte a row, and the ids of the requests whose answers are missing. */
export class BatchState {
  readonly identity: BatchIdentity;
  readonly #states: Uint8Array;
  readonly #counts: number[] = ROW_STATES.map(() => 0);
  readonly #refs = new Map<number, string>();
  readonly #runs = new Map<number, string>();
  budget: BudgetState = { scope: null, used: [] };

  constructor(identity: BatchIdentity) {
    this.identity = identity;
    this.#states = new Uint8Array(identity.rows + 1);
    this.#counts[0] = identity.rows;
  }

  of(row: number): RowState {
    return ROW_STATES[this.#states[row] ?? 0]!;
  }

  count(state: RowState): number {
    return this.#counts[ROW_STATES.indexOf(state)]!;
  }

  set(row: number, state: RowState): void {
    const [before, after] = [this.#states[row]!, ROW_STATES.indexOf(state)];
    this.#counts[before]! -= 1;
    this.#counts[after]! += 1;
    this.#states[row] = after;
    if (state !== "asked") this.#refs.delete(row);
    if (state !== "lost") this.#runs.delete(row);
  }

  asked(row: number, ref: string): void {
    this.set(row, "asked");
    this.#refs.set(row, ref);
  }

  lost(row: number, run: string): void {
    this.set(row, "lost");
    this.#runs.set(row, run);
  }

  /** The requests whose answers are missing, by row. */
  unanswered(): ReadonlyMap<number, string> {
    return this.#refs;
  }

  /** The runs whose answers are lost, by row. */
  lostRuns(): ReadonlyMap<number, string> {
    return this.#runs;
  }

  *rowsIn(state: RowState): Generator<number, void, void> {
    const wanted = ROW_STATES.indexOf(state);
    for (let row = 1; row < this.#states.length; row += 1) if (this.#states[row] === wanted) yield row;
  }
}

const MAGIC = "datarun-batch 1 ";

export function headLine(identity: BatchIdentity): string {
  return `${MAGIC}${JSON.stringify(identity)}\n`;
}

/** Lines of the state file. `done` and `open` come after their record is durable, `asked` before its request is sent. */
export const stateLine = {
  asked: (row: number, ref: string) => `asked ${row} ${ref}\n`,
  done: (row: number, run: string) => `done ${row} ${run}\n`,
  open: (row: number, run: string) => `open ${row} ${run}\n`,
  /** Certainly no run has come of its request. */
  free: (row: number) => `free ${row}\n`,
  rejected: (row: number) => `rejected ${row}\n`,
  lost: (row: number, run: string) => `lost ${row} ${run}\n`,
  budget: (scope: BudgetScopeOfBatch) => `budget ${JSON.stringify(scope)}\n`,
  budgetRemoved: (used: string) => `budget-removed ${used}\n`,
} as const;

export interface ReadState {
  readonly state: BatchState;
  /** The length of the file up to the last complete line. */
  readonly bytes: number;
}

/** Reads a state file; `null` if there is none, or its first line was never completed. @throws OperatorError */
export async function readStateFile(path: string): Promise<ReadState | null> {
  let state: BatchState | null = null;
  let bytes = 0;
  for await (const lines of completeLines(path)) {
    for (const line of lines) {
      bytes += Buffer.byteLength(line) + 1;
      if (state === null) state = new BatchState(readHead(line, path));
      else apply(state, line, path);
    }
  }
  return state === null ? null : { state, bytes };
}

/** The complete lines of a text file, in pieces; none if the file does not exist. */
async function* completeLines(path: string): AsyncGenerator<readonly string[], void, void> {
  let rest = "";
  try {
    for await (const text of createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 18 })) {
      const lines = (rest + String(text)).split("\n");
      rest = lines.pop()!;
      yield lines;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function readHead(line: string, path: string): BatchIdentity {
  const value = line.startsWith(MAGIC) ? jsonOrNull(line.slice(MAGIC.length)) : null;
  if (value === null)
    throw new OperatorError("refused", `${path} is not the state of a batch of this version. Choose another --out.`);
  return value as unknown as BatchIdentity;
}

function jsonOrNull(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function apply(state: BatchState, line: string, path: string): void {
  const [what = "", first = "", more = ""] = line.split(" ");
  const text = line.slice(what.length + 1);
  if (what === "budget") {
    state.budget = { ...state.budget, scope: jsonOrNull(text) as unknown as BudgetScopeOfBatch };
    return;
  }
  if (what === "budget-removed") {
    state.budget = { scope: null, used: text === "" ? state.budget.used : [...state.budget.used, text] };
    return;
  }
  const row = Number(first);
  if (!Number.isInteger(row) || row < 1 || row > state.identity.rows) throw unreadable(path, line);
  if (what === "asked") state.asked(row, more);
  else if (what === "lost") state.lost(row, more);
  else if (what === "free") state.set(row, "none");
  else if (what === "done" || what === "open" || what === "rejected") state.set(row, what);
  else throw unreadable(path, line);
}

function unreadable(path: string, line: string): OperatorError {
  return new OperatorError("refused", `${path} has a line that cannot be read: ${line.slice(0, 60)}`);
}
