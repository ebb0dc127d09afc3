import type { ServerResponse } from "node:http";
import { lengthOf } from "../run/envelope.ts";
import type { Fault } from "../terms/fault.ts";
import { REQUEST_ID_HEADER } from "./request-ids.ts";

/** Headers of every response. */
const PROTECTIVE_HEADERS = ["X-Frame-Options", "DENY", "Content-Security-Policy", "frame-ancestors 'none'"] as const;

const JSON_TYPE = "application/json; charset=utf-8";

export interface ResponseOptions {
  readonly close?: boolean;
  readonly allow?: string;
  /** Leaves out the body: a HEAD is answered like its GET. */
  readonly headOnly?: boolean;
}

/**
 * Sends a response: a head with the length, and the pieces of one body. Every response to a parsed request is sent here.
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  requestId: string,
  body: string | readonly Buffer[],
  options: ResponseOptions = {},
): void {
  const pieces = typeof body === "string" ? [body] : body;
  const headers = [
    ...PROTECTIVE_HEADERS,
    REQUEST_ID_HEADER,
    requestId,
    "Content-Type",
    JSON_TYPE,
    "Cache-Control",
    "no-store",
    "Content-Length",
    String(lengthOf(pieces)),
  ];
  // Node then sends `Connection: close`, and `Connection` starts no further request.
  if (options.close === true) response.shouldKeepAlive = false;
  if (options.allow !== undefined) headers.push("Allow", options.allow);
  response.writeHead(status, headers);
  if (options.headOnly === true) return void response.end();
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}

export interface FaultStatuses {
  /** 500 by default; 503 for load balancers that react to it. */
  readonly overloadStatus: 500 | 503;
}

export function statusOf(fault: Fault, statuses: FaultStatuses): number {
  return fault.row.kind === "overloaded" ? statuses.overloadStatus : fault.row.status;
}

/** The body of every error: a code, a message, and the fields that are wrong. It never has a value that was sent. */
export function errorBody(fault: Fault, requestId: string): string {
  const { problems } = fault;
  const error = {
    code: fault.row.kind,
    message: fault.says,
    ...(problems === undefined ? {} : { details: problems }),
    request_id: requestId,
  };
  return JSON.stringify({ error });
}

/** A whole response as text, for sockets on which no request could be parsed. */
export function rawErrorResponse(fault: Fault, requestId: string, reason: string, allow?: string): string {
  const body = errorBody(fault, requestId);
  const pairs: string[] = [];
  for (let at = 0; at < PROTECTIVE_HEADERS.length; at += 2)
    pairs.push(`${PROTECTIVE_HEADERS[at]}: ${PROTECTIVE_HEADERS[at + 1]}`);
  if (allow !== undefined) pairs.push(`Allow: ${allow}`);
  const head = [
    `HTTP/1.1 ${fault.row.status} ${reason}`,
    ...pairs,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${body.length}`,
  ];
  return [...head, "Cache-Control: no-store", "Connection: close", "", body].join("\r\n");
}
