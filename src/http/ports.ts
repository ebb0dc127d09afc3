import type { Fault } from "../terms/fault.ts";

/** Why a connection was closed without an answer: the limit was reached, another one needed it, or too much waits on it. */
export type DropReason = "no_place" | "made_way" | "pipelining";

/** Told of every request that was answered without a run, and of every connection that was dropped. Must not throw. */
export interface EdgeObserver {
  refused(path: string, fault: Fault): void;
  dropped(reason: DropReason): void;
}
