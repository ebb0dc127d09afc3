import type { ClientTls, HttpOptions } from "../../sdk/http.ts";
import { encodeForm, withQuery } from "./encode-query.ts";
import { headerFields } from "./header-fields.ts";
import type { Address } from "./source-addresses.ts";

/** One request, checked and encoded. */
export interface OutgoingRequest {
  readonly url: Address;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Name and value in turn. */
  readonly fields: readonly string[];
  readonly body: Buffer | string | null;
  readonly tls: ClientTls | undefined;
}

const METHOD = /^[A-Z][A-Z-]*$/;
/** Not requests for data: one opens a tunnel, the other echoes credentials. */
const NOT_METHODS = new Set(["CONNECT", "TRACE"]);

/** @throws Error naming what the author got wrong, never a value */
export function buildRequest(
  method: string,
  url: Address,
  options: HttpOptions,
  headerBytesMax: number,
): OutgoingRequest {
  const verb = typeof method === "string" ? method.toUpperCase() : "";
  if (!METHOD.test(verb) || NOT_METHODS.has(verb)) throw new Error("the method cannot be used");
  const { json, form, body } = options;
  const given = Number(json !== undefined) + Number(form !== undefined) + Number(body !== undefined);
  if (given > 1) throw new Error("at most one of json, form and body can be given");
  const [content, type] = given === 0 ? NO_CONTENT : contentOf(options);
  return {
    url,
    method: verb,
    path: withQuery(url, options.query),
    fields: headerFields(options.headers, type, headerBytesMax),
    body: content,
    tls: options.tls,
  };
}

type Content = readonly [Buffer | string | null, string | null];
const NO_CONTENT: Content = [null, null];

function contentOf({ json, form, body }: HttpOptions): Content {
  if (json !== undefined) {
    const text: string | undefined = JSON.stringify(json);
    if (text === undefined) throw new Error("the json body cannot be said in JSON");
    return [text, "application/json"];
  }
  if (form !== undefined) return [encodeForm(form), "application/x-www-form-urlencoded"];
  if (typeof body === "string") return [body, null];
  if (body instanceof Uint8Array) return [Buffer.from(body.buffer, body.byteOffset, body.byteLength), null];
  throw new Error("the body is neither text nor bytes");
}
