import type { Contract } from "../bundled.ts";

/** The messages between the service and a child process: texts and numbers only. */
export type ToChild =
  | { readonly type: "prelude"; readonly code: string }
  | {
      readonly type: "bundle";
      readonly bundle: string;
      readonly code: string;
      readonly contract: Contract | null;
    }
  | { readonly type: "forget"; readonly bundle: string }
  | StartRun
  | CallReplyMessage
  /** Ends the run at once. The child answers `ended` when the run's thread has left the isolate. */
  | { readonly type: "end"; readonly id: number }
  /** The process gets only shadow runs: they get processor time that nothing else needs. */
  | { readonly type: "yield" }
  /** Much memory is in use: dispose of idle isolates. */
  | { readonly type: "trim" };

export interface CallReplyMessage {
  readonly type: "reply";
  readonly id: number;
  readonly call: number;
  readonly json: string;
}

export interface StartRun {
  readonly type: "run";
  readonly id: number;
  readonly what: ChildRunKind;
  /** Runs with equal keys may use one isolate one after another; others never share one. */
  readonly isolate: string;
  readonly bundle: string;
  readonly memoryMb: number;
  readonly argument: string;
}

/**
 * `start` is a run. While a file is loaded, `describe` returns its declaration as JSON, and `check` only tries whether
 * it can be evaluated. `compile` returns the answer of the contract compiler.
 */
export type ChildRunKind = "start" | "describe" | "check" | "compile";

/** `stuck`: the run's thread does not leave its isolate, and nothing in the process can force it to. */
export type FromChild =
  | { readonly type: "ready" }
  | {
      readonly type: "call";
      readonly id: number;
      readonly call: number;
      readonly source: string;
      readonly inputs: string;
    }
  | {
      readonly type: "pipe";
      readonly id: number;
      readonly name: string;
      readonly json: string;
      readonly failure?: string;
    }
  | { readonly type: "log"; readonly id: number; readonly level: "info" | "warn"; readonly text: string }
  | { readonly type: "done"; readonly id: number; readonly json: string | null; readonly stuck: boolean }
  | {
      readonly type: "failed";
      readonly id: number;
      readonly why: FailedWhy;
      readonly text: string;
      readonly detail?: string;
      readonly stuck: boolean;
    }
  | { readonly type: "ended"; readonly id: number; readonly stuck: boolean }
  /** V8 ran out of memory and cannot recover: the thread sleeps forever; other runs may finish. */
  | { readonly type: "lost"; readonly id: number; readonly isolate: string; readonly text: string }
  /** Sent only if the service cannot measure the memory itself. */
  | { readonly type: "rss"; readonly bytes: number };

/** `inputs`: the inputs violate the contract, so the function has not started. */
export type FailedWhy = "raised" | "inputs" | "contract" | "memory";
