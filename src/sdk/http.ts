import type { Charged } from "../terms/fault.ts";
import type { Json } from "../terms/json.ts";

/**
 * The only way a source reaches its vendor. Every request goes to one of the source's declared `origins`, within the
 * deadline of the run, once: nothing is retried, because a call can be billable.
 *
 * A promise of a reply resolves when the whole body has arrived. It rejects with a fault for everything that is not a
 * usable answer: name, connect and TLS failures, timeouts, broken or oversized bodies, and every status that is neither
 * 2xx nor listed in `answers` (401 and 403 are the credential's fault, 429 the rate's, the rest 4xx or 5xx). An adapter
 * that does not catch them is right.
 */
export interface Http {
  get(url: string, options?: HttpOptions): Promise<Reply>;
  post(url: string, options?: HttpOptions): Promise<Reply>;
  put(url: string, options?: HttpOptions): Promise<Reply>;
  request(method: string, url: string, options?: HttpOptions): Promise<Reply>;
}

export interface HttpOptions {
  /** Appended to the query of the URL, encoded. `undefined` and `null` are left out; lists repeat the name. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>> | undefined;
  /** Header fields. A value with a line break or another control character fails the call before it is sent. */
  readonly headers?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** A JSON body. At most one of `json`, `form` and `body`. */
  readonly json?: unknown;
  /** A form, URL-encoded. */
  readonly form?: Readonly<Record<string, QueryValue>> | undefined;
  /** Text or bytes as they are. */
  readonly body?: string | Uint8Array | undefined;
  /** Statuses besides 2xx that this source reads itself, for example `[404]` for "nobody found". */
  readonly answers?: readonly number[] | undefined;
  /** How many redirects to follow, to declared origins only. 0 unless said: a 3xx is then a failure. */
  readonly redirects?: number | undefined;
  /** A request that the vendor never bills by itself, such as a login or a poll: the ledger then says so. */
  readonly free?: boolean | undefined;
  /** A client certificate for mutual TLS, PEM. */
  readonly tls?: ClientTls | undefined;
}

export type QueryValue = string | number | boolean | null | undefined;

export interface ClientTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
}

export interface Reply {
  /** The status of the answer. */
  readonly status: number;
  /** Names in lower case; a repeated field is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body as JSON, parsed once within the limits of depth and size. Throws a `contract` fault if it is not JSON.
   *
   * A number that JavaScript would change (a whole one beyond 2^53, more digits than a double has) is an object in its
   * place: returned, or put into a request, it is written with every digit; `String(it)` is its text; `Number(it)` and
   * arithmetic round a fraction and throw for a whole number. Inputs of a caller hold such numbers too.
   */
  json(): any; // eslint-disable-line typescript/no-explicit-any -- a vendor's answer has whatever shape the author reads
  /** The body as UTF-8 text. Throws a `contract` fault if it is not UTF-8. */
  text(): string;
  /** The body as it came, decoded. */
  bytes(): Buffer;
  /**
   * Says what the vendor charges for this one request, where only its answer tells: `no` for a poll that says "not yet".
   * Overrules the source's `charge`; the last word holds.
   */
  chargedAs(charged: Charged): void;
}

/** What a reply is told before its bytes are read as something else, which takes memory of its own. Throws a fault for no room. */
export const holdParsed: unique symbol = Symbol("datarun.holdParsed");
/** The bytes as they were counted when they came: `bytes()` counts besides what is made of them, of which nobody is told. */
export const ownBytes: unique symbol = Symbol("datarun.ownBytes");
export interface HeldReply {
  [holdParsed](bytes: number): void;
  readonly [ownBytes]: Buffer;
}

/**
 * What the engine asks of a reply that a source returns as its result: the vendor's bytes, known to be one JSON object
 * of valid UTF-8 and finite numbers, ready to stand in the answer unchanged. Throws a `contract` fault otherwise.
 */
export const rawJsonObject: unique symbol = Symbol("datarun.rawJsonObject");
export interface RawReply {
  [rawJsonObject](): { readonly bytes: Buffer; readonly value: Json };
}
