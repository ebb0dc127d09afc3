import type { Readable } from "node:stream";
import type { Price } from "../terms/money/price.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { BatchSpec } from "./batch-spec.ts";
import type { AdminAccess } from "./ports.ts";
import type { Projection } from "./project-sample.ts";

export interface BatchRequest {
  /** A file, or `-` for standard input. */
  readonly input: string;
  /** What is asked; columns that match inputs by name are added. */
  readonly spec: BatchSpec;
  readonly out: string;
  readonly concurrency: number;
  /** The number of rows to ask, spread over the file; `null`: all. */
  readonly sample: number | null;
  readonly maxCost: Price | null;
  readonly again: boolean;
}

export interface BatchParts {
  readonly admin: AdminAccess;
  readonly stdin: Readable;
  readonly clock: Clock;
  note(sentence: string): void;
  /** @param more a phrase about what was done so far, such as its cost */
  onProgress(what: string, done: number, of: number, more?: string): void;
  /** Calls back when the person interrupts the batch. Call the returned function to stop listening. */
  onInterrupt(interrupted: () => void): () => void;
}

export interface BatchResult {
  readonly out: string;
  readonly rows: number;
  /** Rows with a record, also if sources of them were not called. */
  readonly answered: number;
  /** Of those: rows with sources that were not called, and will be by the same command. */
  readonly open: number;
  readonly rejected: number;
  /** Rows whose run is on the ledger, and whose answer is lost. */
  readonly lost: number;
  /** Rows whose request may have been run, and could not be looked up. */
  readonly unknown: number;
  /** Rows that were not asked yet. */
  readonly left: number;
  readonly targets: readonly {
    readonly source: string;
    readonly matched: number;
    readonly unmatched: number;
    readonly failed: number;
  }[];
  /** What was or may have been charged, at the planned prices. */
  readonly cost: readonly string[];
  /** Why it ended before all rows were asked. */
  readonly stopped: string | null;
  readonly projection: Projection | null;
}
