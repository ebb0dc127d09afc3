import type { Charged } from "../terms/fault.ts";
import type { Price } from "../terms/money/price.ts";
import type { ListPath } from "../terms/xml/read-xml.ts";

/**
 * The only way in which a source may reach its vendor. Every request goes to one of the source's declared `origins`,
 * within the deadline of the run, and once: nothing is retried, because a call can be billable.
 *
 * A promise resolves to a reply when the whole body has arrived. It rejects with a fault for everything that is not a
 * usable reply: failed name look-ups, connections and TLS, timeouts, broken or oversized bodies, and every status that is
 * neither 2xx nor listed in `answers` (401 and 403 become a `credential` fault, 429 `rate_limited`, others `vendor_4xx` or
 * `vendor_5xx`). Normally an adapter should not catch these.
 */
export interface Http {
  get(url: string, options?: HttpOptions): Promise<Reply>;
  post(url: string, options?: HttpOptions): Promise<Reply>;
  put(url: string, options?: HttpOptions): Promise<Reply>;
  request(method: string, url: string, options?: HttpOptions): Promise<Reply>;
}

export interface HttpOptions {
  /** Parameters that are appended to the URL, encoded. `undefined` and `null` are left out; a list repeats the name. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>> | undefined;
  /** Header fields. A value with a line break or another control character fails the call before it is sent. */
  readonly headers?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** A JSON body. At most one of `json`, `form` and `body`. */
  readonly json?: unknown;
  /** A form, URL-encoded. */
  readonly form?: Readonly<Record<string, QueryValue>> | undefined;
  /** A body of text or bytes, sent as it is. */
  readonly body?: string | Uint8Array | undefined;
  /** Statuses other than 2xx that this source handles itself, for example `[404]` for "no record". */
  readonly answers?: readonly number[] | undefined;
  /** How many redirects to follow, to declared origins only. By default 0: a 3xx is then a failure. */
  readonly redirects?: number | undefined;
  /** Marks a request that the vendor never bills, such as a login or a poll. Its charge on the ledger is then `no`. */
  readonly free?: boolean | undefined;
  /**
   * Marks a request that places an order. Once the request has been sent, no failure of the call is `retryable`, because
   * the vendor may have accepted the order.
   */
  readonly order?: boolean | undefined;
  /** A client certificate for mutual TLS, in PEM format. */
  readonly tls?: ClientTls | undefined;
}

export type QueryValue = string | number | boolean | null | undefined;

export interface ClientTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
}

export interface XmlOptions {
  /**
   * Elements that are lists even if they occur once. Each is the path from the root element on: `"a.b"`, or `["a", "b"]`
   * if a name contains a dot.
   */
  readonly lists?: readonly ListPath[] | undefined;
}

export interface Reply {
  /** The status of the reply. */
  readonly status: number;
  /** Header fields with names in lower case; the values of a repeated field are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body as JSON, parsed once within the limits of depth and size. A body that is not UTF-8 is decoded with the
   * charset that its `Content-Type` declares. Throws a `contract` fault if it is not JSON.
   *
   * A number that JavaScript would change (a whole number beyond 2^53, or one with more digits than a double has) becomes
   * an object that is written with every digit. `String(it)` is its text; `Number(it)` and arithmetic round a fraction and
   * throw for a whole number. Inputs can contain such numbers too.
   */
  json(): any; // oxlint-disable-line typescript/no-explicit-any -- a vendor's answer has whatever shape the author reads
  /**
   * The body as XML, within the limits of size and number of values, in the form of `reply: {format: xml}` in a YAML
   * file: `@name` is an attribute, `#text` the text of an element with attributes, and an element that repeats is a list.
   * Throws a `contract` fault if it is not XML.
   */
  xml(options?: XmlOptions): any; // oxlint-disable-line typescript/no-explicit-any -- as for `json`
  /**
   * The body as text: UTF-8 if the bytes are valid UTF-8, otherwise in the charset that the reply declares. Throws a
   * `contract` fault if it is neither; another text can be made from `bytes()`.
   */
  text(): string;
  /** The bytes of the body, decompressed. */
  bytes(): Buffer;
  /**
   * Says what the vendor charges for this request, if only the reply shows it: `no` for a poll that says "not yet". It
   * overrides the source's `charge`; the last call counts.
   */
  chargedAs(charged: Charged): void;
}

/**
 * Reserves memory for the parsed form of a reply, in bytes, before the reply is parsed. Throws a fault if no memory is
 * free.
 */
export const reserveParsed: unique symbol = Symbol("datarun.holdParsed");
/**
 * The body, whose memory was reserved when it arrived. `bytes()` reserves more, for objects that the author makes of it
 * unseen.
 */
export const ownBytes: unique symbol = Symbol("datarun.ownBytes");
export interface MeteredReply {
  [reserveParsed](bytes: number): void;
  readonly [ownBytes]: Buffer;
}

/**
 * For a reply that a source returns as its result: the vendor's bytes, checked to be one JSON object in valid UTF-8 with
 * finite numbers, ready to be inserted into the answer. Throws a `contract` fault for other bytes.
 */
export const rawJsonObject: unique symbol = Symbol("datarun.rawJsonObject");
export interface RawReply {
  [rawJsonObject](): Buffer;
}

/**
 * For a source whose `charge` has a price for each case. On a request: the most that it can cost. On a reply: reports the
 * price that the reply shows.
 */
export const listPrice: unique symbol = Symbol("datarun.listPrice");
export interface ListedRequest {
  readonly [listPrice]?: Price | null;
}
export interface ListedReply {
  [listPrice](price: Price | null): void;
}

/** The body as its source has read it, as JSON or XML; `undefined` if the source has not. Read after the call, by vendor health. */
export const readBody: unique symbol = Symbol("datarun.readBody");
/**
 * The name of the reply among those of its call: the step of a YAML file, or the empty text if the file has one request.
 * Other replies, such as those to a login, have none.
 */
export const replyName: unique symbol = Symbol("datarun.replyName");
export interface ObservedReply {
  readonly [readBody]: unknown;
  [replyName]?: string;
}
