/** Why a reply cannot be read as HTTP/1.1. */
export type ReplyProblem = "not_http" | "fields_too_large" | "interim_flood" | "upgrade";

/** The bytes are not a reply, or can be read as one in two ways. The message contains none of the bytes. */
export class BadReplyError extends Error {
  readonly problem: ReplyProblem;

  constructor(problem: ReplyProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Header fields by lower-case name; a repeated field is a list. Without a prototype. */
export type ReplyFields = Readonly<Record<string, string | string[] | undefined>>;

export interface ReplyHead {
  /** 100 to 999. */
  readonly status: number;
  /** The `x` of `HTTP/1.x`. */
  readonly minorVersion: 0 | 1;
  readonly fields: ReplyFields;
}

/** The fields that determine where a body ends. */
const FRAMING = new Set(["content-length", "transfer-encoding"]);
/** The most header fields of a reply. */
export const FIELDS_MAX = 500;

const [TAB, LF, CR, SPACE, COLON, DELETE] = [0x09, 0x0a, 0x0d, 0x20, 0x3a, 0x7f];
/** Where a character may occur (RFC 9110, 5.5 and 5.6.2). */
const IN_NAME = 1;
const IN_VALUE = 2;
const IN_LENIENT_VALUE = 4;
const CHARACTERS = new Uint8Array(256);
for (let code = 0; code < 256; code += 1) {
  if (code === CR || code === LF) continue;
  const isControl = (code < SPACE && code !== TAB) || code === DELETE;
  CHARACTERS[code] = isControl ? IN_LENIENT_VALUE : IN_LENIENT_VALUE | IN_VALUE;
}
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  CHARACTERS[character.charCodeAt(0)]! |= IN_NAME;

/** `HTTP/1.1 200`, then the end of the line or a space and a reason, which is ignored. */
const STATUS_LINE_START = /^HTTP\/1\.([01]) ([1-9]\d\d)(?= |\r)/;
const LENIENT_STATUS_LINE_START = /^HTTP\/\d\.(\d) ([1-9]\d\d)(?= |\r)/;
const STATUS_END = "HTTP/1.1 200".length;

/**
 * Reads a status line and header fields.
 * @param text one character per byte; every line ends with CR LF, and the empty line is already removed
 * @throws BadReplyError for anything else, such as a line that continues the previous one
 */
export function readReplyHead(text: string): ReplyHead {
  return readHead(text, STATUS_LINE_START, IN_VALUE);
}

/**
 * Reads a head leniently: lines may end with LF alone or continue the previous one, blanks may stand before a colon, values
 * may have control characters, and the version may be another one.
 * @throws BadReplyError
 */
export function readLenientHead(text: string): ReplyHead {
  return readHead(joinLines(text), LENIENT_STATUS_LINE_START, IN_LENIENT_VALUE);
}

/** Like `readLenientHead`, for trailers. @throws BadReplyError */
export function readLenientFields(text: string): ReplyFields {
  return readFields(joinLines(`\n${text}`), 2, IN_LENIENT_VALUE);
}

function readHead(text: string, statusLine: RegExp, inValue: number): ReplyHead {
  const start = statusLine.exec(text);
  if (start === null) throw notHttp("its status line cannot be read");
  const fieldsAt = endOfText(text, STATUS_END, inValue) + 2;
  const fields = readFields(text, fieldsAt, inValue);
  return { status: Number(start[2]), minorVersion: start[1] === "1" ? 1 : 0, fields };
}

/** Ends lines with CR LF, joins those that continue, and removes blanks before colons. The first line has no field. */
function joinLines(text: string): string {
  const [first, ...lines] = text.split(/\r?\n/);
  let joined = `${first}\r\n`;
  let field = "";
  for (const line of lines) {
    if (field !== "" && isBlank(line.charCodeAt(0))) {
      field += line;
      continue;
    }
    if (field !== "") joined += `${field}\r\n`;
    field = line.replace(/^[ \t]+/, "").replace(/^([^ \t:]+)[ \t]+:/, "$1:");
  }
  return joined;
}

/** @throws BadReplyError */
export function readFields(text: string, from = 0, inValue = IN_VALUE): ReplyFields {
  const fields: Record<string, string | string[]> = Object.create(null);
  let count = 0;
  for (let at = from; at < text.length;) {
    const nameEnd = endOfName(text, at);
    const name = text.slice(at, nameEnd).toLowerCase();
    let valueAt = nameEnd + 1;
    while (isBlank(text.charCodeAt(valueAt))) valueAt += 1;
    const lineEnd = endOfText(text, valueAt, inValue);
    let valueEnd = lineEnd;
    // Some readers treat a tab here as part of the value, so `chunked` would be another coding for them.
    if (text.charCodeAt(valueEnd - 1) === TAB && FRAMING.has(name)) throw notHttp("a framing field ends with a tab");
    while (valueEnd > valueAt && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd -= 1;
    add(fields, name, text.slice(valueAt, valueEnd));
    at = lineEnd + 2;
    count += 1;
    if (count > FIELDS_MAX) throw new BadReplyError("fields_too_large", "it has too many header fields");
  }
  return fields;
}

function add(fields: Record<string, string | string[]>, name: string, value: string): void {
  const before = fields[name];
  if (before === undefined) fields[name] = value;
  else if (typeof before === "string") fields[name] = [before, value];
  else before.push(value);
}

/** Returns the position of the colon. */
function endOfName(text: string, from: number): number {
  let at = from;
  while ((CHARACTERS[text.charCodeAt(at)]! & IN_NAME) !== 0) at += 1;
  if (at === from || text.charCodeAt(at) !== COLON) throw notHttp("the name of a header field cannot be read");
  return at;
}

/** Returns the end of the line, which is text from `from` on. */
function endOfText(text: string, from: number, inValue: number): number {
  let at = from;
  while ((CHARACTERS[text.charCodeAt(at)]! & inValue) !== 0) at += 1;
  if (text.charCodeAt(at) !== CR || text.charCodeAt(at + 1) !== LF)
    throw notHttp("a line of its header cannot be read");
  return at;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function notHttp(message: string): BadReplyError {
  return new BadReplyError("not_http", message);
}

// ---- framing --------------------------------------------------------------------------------------------------------

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
    if (length !== undefined) throw notHttp("it has a length and a transfer coding");
    if (minorVersion === 0) throw notHttp("it has a transfer coding, which its version does not know");
    if (typeof coding !== "string" || coding.toLowerCase() !== "chunked")
      throw notHttp("its transfer coding is not chunked alone");
  }
  if (length !== undefined && (typeof length !== "string" || !LENGTH.test(length)))
    throw notHttp("its length is not one number");
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
  if (String(coding).toLowerCase().includes("chunked")) throw notHttp("its transfer coding does not end with chunked");
  return false;
}

function keepAliveOf(minorVersion: 0 | 1, fields: ReplyHead["fields"]): KeepAlive | null {
  const { connection, "keep-alive": parameters } = fields;
  if (minorVersion === 0 || (connection !== undefined && CLOSE.test(String(connection)))) return null;
  const timeout = parameters === undefined ? null : TIMEOUT.exec(String(parameters));
  return timeout === null ? ANY_TIME : { idleMs: Number(timeout[1]) * 1_000 };
}
