import type { Fault } from "../terms/fault.ts";
import type { CallerIds } from "./request-ids.ts";

/** Why a connection was closed without an answer: the limit was reached, another one needed it, or too much waits on it. */
export type DropReason = "no_place" | "made_way" | "pipelining";

/** A request that was answered with an error. The caller's ids are absent if its head could not be parsed. */
export interface RefusedRequest extends Partial<CallerIds> {
  /** As in the response. */
  readonly requestId: string;
  /** As it was sent, without the query; empty if the head could not be parsed. */
  readonly path: string;
  readonly fault: Fault;
}

/** Told of every request that was answered with an error, and of every connection that was dropped. Must not throw. */
export interface EdgeObserver {
  refused(request: RefusedRequest): void;
  dropped(reason: DropReason): void;
}
