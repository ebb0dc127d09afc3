import type { ClientTls, HttpOptions, QueryValue } from "../../sdk/http.ts";
import { TARGET_CHARACTERS_MAX } from "../../terms/http/request-target.ts";
import { CONNECTION_HEADERS } from "../../terms/http/connection-headers.ts";
import type { VendorReply } from "./vendor-reply.ts";
import type { OriginMatch } from "../../terms/http/origins.ts";
import { TargetTooLong, type VendorUrl, type KnownAddress, type VendorUrlCache } from "./vendor-urls.ts";
import { contractFault } from "./vendor-fault.ts";

/** One request, checked and encoded. */
export interface OutgoingRequest {
  readonly url: VendorUrl;
  /** How its origin is declared. */
  readonly match: OriginMatch;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly fields: readonly string[];
  readonly body: Buffer | string | null;
  /** The length of the body in UTF-8. */
  readonly bodyBytes: number;
  readonly tls: ClientTls | undefined;
  /** How many redirects may follow. */
  readonly redirectsLeft: number;
  /** The span that its vendor is told of, if it is. */
  readonly spanId?: string;
}

export const REDIRECTS_MAX = 10;
const LOCATION_CHARACTERS_MAX = 16 * 1024;
const METHOD = /^[A-Z][A-Z-]*$/;
/** Methods that do not request data: CONNECT opens a tunnel, TRACE echoes credentials. */
const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE"]);

/** @throws Error that names the author's mistake, never a value */
export function buildRequest(
  method: string,
  { url, match }: KnownAddress,
  options: HttpOptions,
  headerBytesMax: number,
): OutgoingRequest {
  const verb = typeof method === "string" ? method.toUpperCase() : "";
  if (!METHOD.test(verb) || FORBIDDEN_METHODS.has(verb)) throw new Error("the method cannot be used");
  const { json, form, body } = options;
  const bodyCount = Number(json !== undefined) + Number(form !== undefined) + Number(body !== undefined);
  if (bodyCount > 1) throw new Error("at most one of json, form and body can be given");
  const [content, type] = bodyCount === 0 ? NO_CONTENT : contentOf(options);
  const path = withQuery(url, options.query);
  const fields = headerFields(options.headers, type, headerBytesMax);
  if (match === null) throw new Error("the address is of no origin that the source declares");
  return {
    url,
    match,
    method: verb,
    path,
    fields,
    body: content,
    bodyBytes: content === null ? 0 : Buffer.byteLength(content),
    tls: options.tls,
    redirectsLeft: Math.min(options.redirects ?? 0, REDIRECTS_MAX),
  };
}

/** Bytes in memory for each UTF-16 unit of a text that is not ASCII. */
const UNIT_BYTES = 2;

/** The memory that a request takes until it is sent, in bytes. */
export function requestMemoryBytes({ path, fields, body, bodyBytes }: OutgoingRequest): number {
  // Twice: the URL is kept as well as the path made from it.
  let bytes = 2 * path.length + bodyBytes;
  if (typeof body === "string" && body.length !== bodyBytes) bytes += UNIT_BYTES * body.length - bodyBytes;
  for (const text of fields) bytes += text.length;
  return bytes;
}

type Content = readonly [Buffer | string | null, string | null];
const NO_CONTENT: Content = [null, null];

function contentOf({ json, form, body }: HttpOptions): Content {
  if (json !== undefined) {
    const text: string | undefined = JSON.stringify(json);
    if (text === undefined) throw new Error("the json body cannot be written as JSON");
    return [text, "application/json"];
  }
  if (form !== undefined) return [encodeForm(form), "application/x-www-form-urlencoded"];
  if (typeof body === "string") return [body, null];
  if (body instanceof Uint8Array) return [Buffer.from(body.buffer, body.byteOffset, body.byteLength), null];
  throw new Error("the body is neither text nor bytes");
}

// ---- header fields -------------------------------------------------------------------------------------------------

const FORBIDDEN = new Set(CONNECTION_HEADERS);
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Characters that a value cannot contain: they would end the field, or lose bits when they are sent. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

export function isHeaderValue(text: string): boolean {
  return !NOT_IN_VALUE.test(text);
}

/** A header field that cannot be sent. */
export class HeaderValueError extends Error {
  #value: string;
  constructor(name: string, value: string) {
    super(`the header field ${name} holds a character that cannot be sent`);
    this.#value = value;
  }

  /**
   * Returns the value and forgets it. It is needed only to find its origin, and may be as large as the body of a
   * request.
   */
  takeValue(): string {
    const value = this.#value;
    this.#value = "";
    return value;
  }
}

/**
 * The header fields to send, names and values alternating: the author's, and defaults for those that the author left out.
 * @throws Error that names the field
 */
export function headerFields(
  authorFields: HttpOptions["headers"],
  contentType: string | null,
  bytesMax: number,
): readonly string[] {
  const fields: string[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const name in authorFields) {
    if (!Object.hasOwn(authorFields, name)) continue;
    const content: unknown = authorFields[name];
    if (content === undefined) continue;
    const lower = name.toLowerCase();
    if (!NAME.test(name) || FORBIDDEN.has(lower)) throw new Error("a header field has a name that may not be set");
    if (typeof content !== "string" && typeof content !== "number")
      throw new Error(`the header field ${lower} is not a text or a number`);
    if (names.has(lower)) throw new Error(`the header field ${lower} is given twice`);
    const value = String(content);
    if (!isHeaderValue(value)) throw new HeaderValueError(lower, value);
    names.add(lower);
    bytes += name.length + value.length + 4;
    fields.push(name, value);
  }
  if (bytes > bytesMax) throw new Error("the header fields are too large");
  if (!names.has("accept")) fields.push("accept", "application/json");
  if (!names.has("user-agent")) fields.push("user-agent", "datarun");
  if (!names.has("accept-encoding")) fields.push("accept-encoding", "gzip");
  if (contentType !== null && !names.has("content-type")) fields.push("content-type", contentType);
  return fields;
}

/** The fields that may follow a redirect to another origin: none that could be a credential. */
export function withoutAuthorFields(fields: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at]!.toLowerCase();
    if (name === "accept" || name === "user-agent" || name === "accept-encoding")
      kept.push(fields[at]!, fields[at + 1]!);
  }
  return kept;
}

/** The fields for a redirect that turns the request into one without a body. */
export function withoutBodyFields(fields: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    if (!fields[at]!.toLowerCase().startsWith("content-")) kept.push(fields[at]!, fields[at + 1]!);
  }
  return kept;
}

// ---- queries and forms ---------------------------------------------------------------------------------------------

type QueryFields = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** `a=1&b=x%20y`: `undefined` and `null` are left out, a list repeats its name. @throws Error that names the field */
export function encodeQuery(fields: QueryFields): string {
  let text = "";
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (Array.isArray(value)) {
      for (const one of value as readonly QueryValue[]) text += pair(name, one);
    } else {
      text += pair(name, value as QueryValue);
    }
  }
  return text.slice(1);
}

/** Encodes fields as a body of `application/x-www-form-urlencoded`. */
export function encodeForm(fields: QueryFields): string {
  return encodeQuery(fields).replaceAll("%20", "+");
}

/**
 * The path and query of a URL with more fields appended to the query. @throws TargetTooLong if the result is too long
 */
export function withQuery(url: Pick<URL, "pathname" | "search">, fields: QueryFields | undefined): string {
  const target = join(url, fields);
  if (target.length > TARGET_CHARACTERS_MAX) throw new TargetTooLong();
  return target;
}

function join(url: Pick<URL, "pathname" | "search">, fields: QueryFields | undefined): string {
  const path = url.pathname + url.search;
  // Checked first, because encoding long texts takes time and never makes them shorter.
  if (fields !== undefined && lengthOf(fields) > TARGET_CHARACTERS_MAX) throw new TargetTooLong();
  const more = fields === undefined ? "" : encodeQuery(fields);
  if (more === "") return path;
  if (url.search === "") return `${path}?${more}`;
  return `${path}&${more}`;
}

/** The length of the texts before encoding. */
function lengthOf(fields: QueryFields): number {
  let length = 0;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    for (const one of Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue])
      if (typeof one === "string") length += name.length + one.length;
  }
  return length;
}

function pair(name: string, value: QueryValue): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw new Error(`the field ${name} is not a text, a number or a boolean`);
  return `&${encode(name)}=${encode(String(value))}`;
}

function encode(text: string): string {
  // Half of a surrogate pair has no UTF-8. As everywhere on the web, the replacement character is sent instead.
  return encodeURIComponent(text.toWellFormed());
}

// ---- redirects ------------------------------------------------------------------------------------------------------

/**
 * The request that follows a redirect (RFC 9110, 15.4). At another origin it has no field that could be a credential. A
 * request with a body does not follow a redirect to another origin.
 * @throws Fault `source.contract` if it cannot be followed
 */
export function followRedirect(
  request: OutgoingRequest,
  reply: VendorReply,
  addresses: VendorUrlCache,
): OutgoingRequest {
  const url = readLocation(reply.headers["location"], request.url);
  const leaves = url.origin !== request.url.origin;
  const plain = request.method === "GET" || request.method === "HEAD";
  const becomesGet = !plain && (reply.status === 303 || (request.method === "POST" && reply.status <= 302));
  if (leaves && !plain && !becomesGet) throw contractFault("it redirects a request with a body to another origin");

  const fields = leaves ? withoutAuthorFields(request.fields) : request.fields;
  const match = addresses.match(url);
  if (match === null) throw contractFault("it redirects to an origin that the source does not declare");
  const isEmpty = becomesGet || leaves;
  return {
    url,
    match,
    method: becomesGet ? "GET" : request.method,
    path: url.pathname + url.search,
    fields: becomesGet ? withoutBodyFields(fields) : fields,
    body: isEmpty ? null : request.body,
    bodyBytes: isEmpty ? 0 : request.bodyBytes,
    tls: leaves ? undefined : request.tls,
    redirectsLeft: request.redirectsLeft - 1,
  };
}

function readLocation(location: string | undefined, base: VendorUrl): URL {
  const url =
    location === undefined || location === "" ? null : URL.parse(location, base.origin + base.pathname + base.search);
  const isUsable =
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.href.length <= LOCATION_CHARACTERS_MAX;
  if (!isUsable) throw contractFault("it redirects to no usable address");
  return url;
}
