import type { Contract } from "../bundled.ts";

/** What passes between the service and a child process that holds isolates: texts and numbers only. */
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
  | Reply
  /** The run is over, whatever it does: answered by `ended`, once its thread has left the isolate. */
  | { readonly type: "end"; readonly id: number }
  /** Too much memory is in use: answered by `weighed`, after what is only kept warm has been let go. */
  | { readonly type: "weigh" };

/** Replies below it go at once and unacknowledged: all that can be under way together are few bytes. */
export const LARGE_REPLY_CHARACTERS = 65_536;

export interface Reply {
  readonly type: "reply";
  readonly id: number;
  readonly call: number;
  readonly json: string;
}

export interface StartRun {
  readonly type: "run";
  readonly id: number;
  readonly what: RunKind;
  /** Runs of one organization and one bundle may follow each other in one isolate; others never share. */
  readonly isolate: string;
  readonly bundle: string;
  readonly memoryMb: number;
  readonly argument: string;
}

/**
 * A run; or, while a file is loaded, what it declares as JSON; or only whether it can be evaluated; or, of the compiler
 * of contracts, its answer.
 */
export type RunKind = "start" | "describe" | "check" | "compile";

/** `stuck`: the thread of the run does not leave its isolate, and nothing in the process can make it. */
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
  /** V8 ran out of memory in a way that it does not recover from: the thread sleeps for ever, the rest may finish. */
  | { readonly type: "lost"; readonly id: number; readonly isolate: string; readonly text: string }
  /** A large reply has gone into its isolate, or is not wanted any more. */
  | { readonly type: "took"; readonly id: number; readonly characters: number }
  /** What each run's isolate holds, in bytes; `null`: its thread did not come out in time to answer. */
  | { readonly type: "weighed"; readonly runs: readonly { readonly id: number; readonly bytes: number | null }[] }
  /** Only where the service cannot look it up itself. */
  | { readonly type: "rss"; readonly bytes: number };

export type FailedWhy = "raised" | "contract" | "memory";
