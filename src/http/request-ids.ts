import type { IncomingMessage } from "node:http";
import { CLIENT_REQUEST_ID } from "../terms/ids.ts";
import { readTraceparent, type Trace } from "../terms/trace.ts";
import { countHeader } from "./authenticate-request.ts";

/** The header with the caller's own id in a request, and with the service's id in every response. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/** The caller's own ids of its request. They are recorded and have no other effect. */
export interface CallerIds {
  readonly clientRequestId: string | null;
  readonly trace: Trace | null;
}

/** Ids that are missing, malformed or sent twice are null: they are never a reason to refuse a request. */
export function readCallerIds(request: IncomingMessage): CallerIds {
  const { headers } = request;
  const id = headers["x-request-id"];
  const isUsable = typeof id === "string" && CLIENT_REQUEST_ID.test(id) && countHeader(request, "x-request-id") === 1;
  return { clientRequestId: isUsable ? id : null, trace: readTraceparent(headers["traceparent"]) };
}
