import { BadReplyError } from "./bad-reply.ts";
import type { ReplyHead } from "./reply-head.ts";

/** Where a reply ends, and whether its connection can be reused. */
export interface ReplyFraming {
  /** `close`: the body ends with the connection. */
  readonly body: "none" | "length" | "chunked" | "close";
  /** The length of a `length` body. */
  readonly length: number;
  /** `null`: the connection must not be reused. */
  readonly keepAlive: KeepAlive | null;
}

export interface KeepAlive {
  /** How long the vendor keeps an idle connection open, by its `Keep-Alive` field; `null` if it does not say. */
  readonly idleMs: number | null;
}

const LENGTH = /^\d{1,15}$/;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const TIMEOUT = /(?:^|[,;])[ \t]*timeout[ \t]*=[ \t]*"?(\d{1,9})"?[ \t]*(?=[,;]|$)/i;
const ANY_TIME: KeepAlive = { idleMs: null };

/**
 * Determines where the body of a reply ends (RFC 9112, 6.3). Refuses a reply that can be read in two ways.
 * @param method of the request
 * @param lenient a transfer coding takes precedence over a length, may occur in any version, and may be a list. The body
 *   is chunked if the list ends with `chunked`, and otherwise ends with the connection
 * @throws BadReplyError if the end is given twice, in an unknown way, or not as a number
 */
export function frameReply({ status, minorVersion, fields }: ReplyHead, method: string, lenient = false): ReplyFraming {
  const coding = fields["transfer-encoding"];
  const length = fields["content-length"];
  if (coding !== undefined && !lenient) {
    if (length !== undefined) throw ambiguous("it has a length and a transfer coding");
    if (minorVersion === 0) throw ambiguous("it has a transfer coding, which its version does not know");
    if (typeof coding !== "string" || coding.toLowerCase() !== "chunked")
      throw ambiguous("its transfer coding is not chunked alone");
  }
  if (length !== undefined && (typeof length !== "string" || !LENGTH.test(length)))
    throw ambiguous("its length is not one number");
  const isChunked = coding !== undefined && (!lenient || endsChunked(coding));

  // Some vendors send a body after HEAD, and nothing marks it as one.
  const keepAlive = method === "HEAD" ? null : keepAliveOf(minorVersion, fields);
  if (method === "HEAD" || status === 204 || status === 304) return { body: "none", length: 0, keepAlive };
  if (isChunked) return { body: "chunked", length: 0, keepAlive };
  if (length === undefined || coding !== undefined) return { body: "close", length: 0, keepAlive: null };
  return { body: length === "0" ? "none" : "length", length: Number(length), keepAlive };
}

/** @throws BadReplyError if another coding follows `chunked` */
function endsChunked(coding: string | readonly string[]): boolean {
  const codings = String(coding).toLowerCase().split(",");
  if (codings.at(-1)!.trim() === "chunked") return true;
  if (String(coding).toLowerCase().includes("chunked"))
    throw ambiguous("its transfer coding does not end with chunked");
  return false;
}

function keepAliveOf(minorVersion: 0 | 1, fields: ReplyHead["fields"]): KeepAlive | null {
  const { connection, "keep-alive": parameters } = fields;
  if (minorVersion === 0 || (connection !== undefined && CLOSE.test(String(connection)))) return null;
  const timeout = parameters === undefined ? null : TIMEOUT.exec(String(parameters));
  return timeout === null ? ANY_TIME : { idleMs: Number(timeout[1]) * 1_000 };
}

function ambiguous(message: string): BadReplyError {
  return new BadReplyError("not_http", message);
}
