import { isAscii } from "node:buffer";
import type { Attempt } from "../../run/ports.ts";
import {
  type MeteredReply,
  reserveParsed,
  type ListedReply,
  type ObservedReply,
  listPrice,
  ownBytes,
  rawJsonObject,
  type RawReply,
  readBody,
  type Reply,
  replyName,
  type XmlOptions,
} from "../../sdk/http.ts";
import { CharsetError, toUtf8 } from "../../terms/text/charset.ts";
import { Fault, isCharged, type Charged } from "../../terms/fault.ts";
import {
  decodeUtf8,
  type ReserveBytes,
  isJsonObject,
  type Json,
  JsonError,
  type JsonLimits,
  type JsonProblem,
  parseJson,
} from "../../terms/json/json.ts";
import { isSurelyObject } from "../../terms/json/json-object-check.ts";
import { XmlProblem } from "../../terms/xml/parse-xml.ts";
import type { Price } from "../../terms/money/price.ts";
import { parsedXmlBytes, readXml } from "../../terms/xml/read-xml.ts";
import type { ReplyFields } from "../wire/reply-head.ts";
import { contractFault } from "./vendor-fault.ts";

const PROBLEMS: Readonly<Record<Exclude<JsonProblem, "no_room">, string>> = {
  encoding: "it is not valid UTF-8",
  too_deep: "it is nested too deeply",
  too_many_keys: "an object in it has too many keys",
  too_many_values: "it holds too many values",
  syntax: "it is not JSON",
  not_finite: "it holds a number that is not finite",
  not_exact: "it holds too many numbers with more digits than are reckoned with",
};

const UNLIMITED: ReserveBytes = () => true;
/** Bytes per character, in memory, of a text that is not only ASCII. */
const UNIT_BYTES = 2;

/**
 * A vendor's complete reply. Its body is parsed once, when the author asks for it. Memory for the parsed value is reserved
 * in addition to that of the bytes.
 */
export class VendorReply implements Reply, RawReply, MeteredReply, ListedReply, ObservedReply {
  readonly status: number;
  [replyName]?: string;
  readonly #fields: ReplyFields;
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  readonly #attempt: Pick<Attempt, "chargeAs" | "listAs"> | null;
  readonly #reserve: ReserveBytes;
  #headers: Readonly<Record<string, string>> | null = null;
  #value: Json | undefined = undefined;
  #xml: Json | undefined = undefined;
  #text: string | undefined = undefined;
  #utf8: Buffer | null = null;
  #bytesForAuthor: Buffer | null = null;
  #hasReservedForAuthor = false;

  /** @param attempt the request of the reply; `null` if none was really sent */
  constructor(
    status: number,
    fields: ReplyFields,
    bytes: Buffer,
    limits: JsonLimits,
    attempt: Pick<Attempt, "chargeAs" | "listAs"> | null,
    reserve: ReserveBytes = UNLIMITED,
  ) {
    this.status = status;
    this.#fields = fields;
    this.#bytes = bytes;
    this.#limits = limits;
    this.#attempt = attempt;
    this.#reserve = reserve;
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= joined(this.#fields);
    return this.#headers;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the contract: authors read whatever shape the vendor sends
  json(): any {
    if (this.#value === undefined) this.#value = this.#parse();
    return this.#value;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the contract: authors read whatever shape the vendor sends
  xml({ lists = [] }: XmlOptions = {}): any {
    const bytes = this.#inUtf8();
    this[reserveParsed](parsedXmlBytes(bytes.length));
    try {
      this.#xml = readXml(bytes, lists);
      return this.#xml;
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  text(): string {
    if (this.#text === undefined) {
      this.#reserveForAuthor();
      const bytes = this.#inUtf8();
      this[reserveParsed](bytes.length * (isAscii(bytes) ? 1 : UNIT_BYTES));
      try {
        this.#text = decodeUtf8(bytes);
      } catch (error) {
        throw this.#faultOf(error);
      }
    }
    return this.#text;
  }

  bytes(): Buffer {
    this.#reserveForAuthor();
    // Small buffers share an allocation with others, whose bytes the author must not see.
    this.#bytesForAuthor ??= this.#bytes.buffer.byteLength === this.#bytes.length ? this.#bytes : ownCopy(this.#bytes);
    return this.#bytesForAuthor;
  }

  get [readBody](): unknown {
    return this.#value ?? this.#xml;
  }

  get [ownBytes](): Buffer {
    return this.#bytes;
  }

  /**
   * Reserves memory, once, for what an author makes of the text or the bytes: its size is unknown, and taken to be
   * theirs.
   */
  #reserveForAuthor(): void {
    if (this.#hasReservedForAuthor) return;
    this.#hasReservedForAuthor = true;
    this[reserveParsed](this.#bytes.length);
  }

  chargedAs(charged: Charged): void {
    if (!isCharged(charged)) throw new TypeError('chargedAs takes "yes", "no" or "unknown"');
    this.#attempt?.chargeAs(charged);
  }

  [listPrice](price: Price | null): void {
    this.#attempt?.listAs(price);
  }

  [reserveParsed](bytes: number): void {
    if (!this.#reserve(bytes)) throw new Fault("source.no_room_for_answer");
  }

  [rawJsonObject](): Buffer {
    // Unless the author has asked for the value, the bytes are checked without building it.
    if (this.#value === undefined && isSurelyObject(this.#bytes, this.#limits)) return this.#bytes;
    if (!isJsonObject(this.json())) throw contractFault("it is not a JSON object");
    return withoutMark(this.#inUtf8());
  }

  /** The body in UTF-8. @throws Fault */
  #inUtf8(): Buffer {
    if (this.#utf8 === null) {
      const type = this.#fields["content-type"];
      try {
        this.#utf8 = toUtf8(this.#bytes, typeof type === "string" ? type : type?.[0]);
      } catch (error) {
        throw this.#faultOf(error);
      }
      if (this.#utf8 !== this.#bytes) this[reserveParsed](this.#utf8.length);
    }
    return this.#utf8;
  }

  #parse(): Json {
    if (this.#bytes.length === 0) throw contractFault("it is empty");
    const bytes = this.#inUtf8();
    try {
      return parseJson(bytes, this.#limits, this.#reserve);
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  #faultOf(error: unknown): unknown {
    if (error instanceof CharsetError || error instanceof XmlProblem)
      return new Fault("source.contract", { problem: error.message }, { cause: error });
    if (!(error instanceof JsonError)) return error;
    return error.problem === "no_room"
      ? new Fault("source.no_room_for_answer")
      : contractFault(PROBLEMS[error.problem]);
  }
}

function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function joined(fields: ReplyFields): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}
