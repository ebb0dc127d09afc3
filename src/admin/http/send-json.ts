import type { ServerResponse } from "node:http";
import { API_HEADERS, encodeNotes, NOTES_HEADER } from "./api-headers.ts";
import { type ApiErrorCode, type Refusal, STATUS_OF } from "./refusal.ts";

/** Does nothing if the client has disconnected or the answer has started. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  notes: readonly string[] = [],
  more: Readonly<Record<string, string | readonly string[]>> = {},
): void {
  sendJsonText(response, status, JSON.stringify(value), notes, more);
}

/** The same for a text that is JSON already. */
export function sendJsonText(
  response: ServerResponse,
  status: number,
  json: string,
  notes: readonly string[],
  more: Readonly<Record<string, string | readonly string[]>> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  const body = Buffer.from(json);
  response.writeHead(status, {
    ...API_HEADERS,
    ...more,
    ...(notes.length === 0 ? {} : { [NOTES_HEADER]: encodeNotes(notes) }),
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": body.length,
  });
  response.end(body);
}

export function sendError(response: ServerResponse, refusal: Refusal, notes?: readonly string[]): void {
  const { code, headers } = refusal;
  sendJson(response, STATUS_OF[code satisfies ApiErrorCode], errorBody(refusal), notes, headers);
}

/** The one shape of every error. */
export function errorBody({ code, message, details }: Pick<Refusal, "code" | "message" | "details">): object {
  return { error: { code, message, ...(details === undefined ? {} : { details }) } };
}
