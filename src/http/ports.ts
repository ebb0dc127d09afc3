import type { Fault } from "../terms/fault.ts";
import type { CallerIds } from "./request-ids.ts";

/** Why a connection was closed without an answer: too many were open, or too many requests were waiting on it. */
export type DropReason = "connection_limit" | "pipelining";

/** A request that was answered with an error. The caller's ids are absent if its head could not be parsed. */
export interface RefusedRequest extends Partial<CallerIds> {
  /** The id in the header `X-Request-Id` of the response. */
  readonly requestId: string;
  /** The path as sent, without the query; empty if the head could not be parsed. */
  readonly path: string;
  readonly fault: Fault;
}

/** Receives every request that was answered with an error, and every dropped connection. Must not throw. */
export interface RefusalObserver {
  refused(request: RefusedRequest): void;
  dropped(reason: DropReason): void;
}
