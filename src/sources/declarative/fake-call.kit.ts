import { listPrice, rawJsonObject, type HttpOptions, type Reply, type XmlOptions } from "../../sdk/http.ts";
import { caseMoment, type CaseMoment, credentialScope, NoMatch, type SourceCall } from "../../sdk/source.ts";
import { toUtf8 } from "../../terms/text/charset.ts";
import { Fault, FAULT_OF_KIND, type Charged } from "../../terms/fault.ts";
import type { Json, JsonObject } from "../../terms/json/json.ts";
import type { Price } from "../../terms/money/price.ts";
import { readXml } from "../../terms/xml/read-xml.ts";

/** One request as the source passed it to the `http` of the call. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly options: HttpOptions;
}

export interface FakeCall {
  readonly call: SourceCall;
  readonly asked: readonly Asked[];
  /** The requested waits, in milliseconds. No time passes. */
  readonly waits: readonly number[];
  /** The order ids that the source reported. */
  readonly orders: readonly (string | number | undefined)[];
}

/** A reply that records what the source reported about its charge. */
export interface FakeReply extends Reply {
  readonly said: readonly Charged[];
  /** The list prices that the source reported for it. */
  readonly listed: readonly (Price | null)[];
}

/** A reply with a JSON body, unless the body is a `Buffer`. */
export function replyOf(status: number, body: Json | Buffer = {}, headers: Record<string, string> = {}): FakeReply {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8");
  const json = () => {
    try {
      return JSON.parse(bytes.toString("utf8"));
    } catch (cause) {
      throw new Fault("source.contract", { problem: "it is not JSON" }, { cause });
    }
  };
  const xml = ({ lists = [] }: XmlOptions = {}) => {
    try {
      return readXml(toUtf8(bytes, headers["content-type"]), lists) as unknown;
    } catch (cause) {
      throw new Fault("source.contract", { problem: (cause as Error).message }, { cause });
    }
  };
  const said: Charged[] = [];
  const listed: (Price | null)[] = [];
  const chargedAs = (charged: Charged) => void said.push(charged);
  const reply = {
    status,
    headers,
    json,
    xml,
    text: () => bytes.toString("utf8"),
    bytes: () => bytes,
    chargedAs,
    said,
    listed,
  };
  return Object.assign(reply, {
    [listPrice]: (price: Price | null) => void listed.push(price),
    [rawJsonObject]() {
      json();
      return bytes;
    },
  });
}

/** The call that a source's `run` receives. `answer` simulates the vendor, request by request. */
export function fakeCall(
  answer: (asked: Asked, index: number) => Reply | Promise<Reply>,
  given: {
    inputs?: JsonObject;
    credentials?: JsonObject;
    scope?: string | undefined;
    timeMs?: number;
    moment?: CaseMoment;
  } = {},
): FakeCall {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const orders: (string | number | undefined)[] = [];
  let leftMs = given.timeMs ?? 15_000;
  const request = async (method: string, url: string, options: HttpOptions = {}) => {
    const one = { method, url, options };
    asked.push(one);
    return answer(one, asked.length - 1);
  };
  const call: SourceCall = {
    inputs: given.inputs ?? {},
    credentials: given.credentials ?? {},
    http: {
      request,
      get: (url, options) => request("GET", url, options),
      post: (url, options) => request("POST", url, options),
      put: (url, options) => request("PUT", url, options),
    },
    context: "test",
    region: "eu",
    transaction_id: "trx_1",
    [credentialScope]: given.scope,
    [caseMoment]: given.moment,
    signal: new AbortController().signal,
    log: { info: () => {}, warn: () => {} },
    ordered: (orderId) => void orders.push(orderId),
    wait: async (ms) => {
      if ((leftMs -= ms) <= 0) throw new Fault("source.pending");
      waits.push(ms);
    },
    basic: (user, password) => ({ authorization: `${user}:${password}` }),
    noMatch: (output) => new NoMatch(output),
    fail: (kind) => {
      throw new Fault(FAULT_OF_KIND[kind]);
    },
  };
  return { call, asked, waits, orders };
}

/** A file with these parts, and the minimum of other parts that a source needs. */
export function fileWith(parts: string): string {
  const given = new Set([...parts.matchAll(/^([a-z_]+):/gm)].map((found) => found[1]));
  const least: Record<string, string> = {
    id: "acme__people",
    title: "People",
    inputs:
      "{type: object, properties: {name: {type: string}, tags: {type: array}, born: {type: string}, n: {type: integer}}}",
    credentials: "{type: object, properties: {key: {type: string}, user: {type: string}}}",
    origins: "[https://api.acme.example]",
    request: "{url: 'https://api.acme.example/people'}",
    match: "{record: 'status == `200`', no_record: 'status == `404`'}",
  };
  if (given.has("steps")) given.add("request");
  const lines = Object.entries(least).filter(([name]) => !given.has(name));
  return `${lines.map(([name, value]) => `${name}: ${value}`).join("\n")}\n${parts}\n`;
}

/** The fault that a promise rejects with. */
export async function faultOf(started: unknown): Promise<Fault> {
  try {
    await started;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("a fault was expected");
}
