import type { Fault } from "../terms/fault.ts";
import type { CallerIds } from "./request-ids.ts";

/** Why a connection was closed without an answer: too many were open, or too many requests were waiting on it. */
export type DropReason = "connection_limit" | "pipelining";

/** A request that was answered with an error. The caller's ids are absent if its head could not be parsed. */
export interface RefusedRequest extends Partial<CallerIds> {
  /** As in the response. */
  readonly requestId: string;
  /** As it was sent, without the query; empty if the head could not be parsed. */
  readonly path: string;
  readonly fault: Fault;
}

/** Is called for every request that was answered with an error, and for every dropped connection. Must not throw. */
export interface RefusalObserver {
  refused(request: RefusedRequest): void;
  dropped(reason: DropReason): void;
}
