import {
  type ClientTls,
  type Http,
  type HttpOptions,
  type ListedRequest,
  listPrice,
  type Reply,
} from "../../../sdk/http.ts";
import { CONNECTION_HEADERS } from "../../../terms/http/connection-headers.ts";
import type { Price } from "../../../terms/money/price.ts";
import { inHeader, inQuery } from "./encodings.ts";
import { percentEncode } from "./percent-encode.ts";
import type { RequestFile } from "../format/exchange-format.ts";
import { compileLeaf } from "./json-template.ts";
import { compileUrl } from "./path-template.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { compileBody } from "./render-body.ts";
import { fill, parseTemplate, type KnownNames, type Template, type TemplateValues } from "./template.ts";

/** A request ready to be sent, with exactly the bytes that a signature covers. */
export interface RenderedRequest {
  readonly method: string;
  readonly origin: string;
  readonly host: string;
  /** Path and query as they are sent. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly redirects: number;
}

/** Another address of the same origin, in place of that of the file: a link in a reply of the vendor. */
export interface RequestTarget {
  readonly path: string;
  /** Its parameters, as they are sent. */
  readonly query: readonly string[];
}

/** A part of a request that a signature can cover. */
export type RequestPart = "path" | "query" | "headers" | "body";

export interface RequestTemplate {
  /** Names that other parts of the file must not set again. */
  readonly headerNames: ReadonlySet<string>;
  readonly queryNames: ReadonlySet<string>;
  /**
   * Renders without sending anything. `parts`: the others stay empty. With a target, only the parameters that prove who
   * asks are added to those of the target. @throws Fault that names the field whose value cannot be sent
   */
  render(values: TemplateValues, parts?: ReadonlySet<RequestPart>, target?: RequestTarget): RenderedRequest;
}

/**
 * Header fields that a file may not set: those that no source may set; the media type of the body, which has its own
 * key; and the content encoding, because bodies of declarative sources are never compressed. A source in TypeScript may
 * send compressed bytes and set it.
 */
const RESERVED = new Set([...CONNECTION_HEADERS, "content-type", "content-encoding"]);

const ALL_PARTS: ReadonlySet<RequestPart> = new Set(["path", "query", "headers", "body"]);

/** @throws DeclarationError */
export function compileRequest(
  request: RequestFile,
  origins: readonly string[],
  known: KnownNames,
  place: DocumentLocation,
): RequestTemplate {
  const method = request.method ?? "GET";
  const url = compileUrl(request.url, origins, known, place.in("url"));
  const parameters = compileQuery(request.query ?? {}, known, place.in("query"));
  const fields = compileHeaders(request.headers ?? {}, known, place.in("headers"));
  const body = request.body === undefined ? undefined : compileBody(request.body, known, place.in("body"));
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    place.in("body").refuseKey("request.body", `a ${method} has no body`, "set method: POST");
  }
  return {
    headerNames: new Set(fields.map(([name]) => name)),
    queryNames: new Set(parameters.map(([name]) => name)),
    render(values, parts = ALL_PARTS, target) {
      return {
        method,
        origin: url.origin,
        host: url.host,
        path: parts.has("path") ? (target?.path ?? url.path(values)) : "",
        query: parts.has("query") ? renderQuery(values, target) : "",
        headers: {
          ...(parts.has("headers") ? renderHeaders(fields, values) : {}),
          ...(body === undefined ? {} : { "content-type": body.contentType(values) }),
        },
        body: parts.has("body") ? body?.render(values) : undefined,
        redirects: request.redirects ?? 0,
      };
    },
  };

  function renderQuery(values: TemplateValues, target: RequestTarget | undefined): string {
    const own = target === undefined ? parameters : parameters.filter(([, , isProof]) => isProof);
    const rendered = own.flatMap(([name, make]) => make(values).map((value) => `${percentEncode(name)}=${value}`));
    if (target === undefined) return rendered.join("&");
    return [...withoutParameters(target.query, new Set(own.map(([name]) => name))), ...rendered].join("&");
  }
}

export function withoutParameters(query: readonly string[], names: ReadonlySet<string>): readonly string[] {
  return query.filter((parameter) => ![...new URLSearchParams(parameter).keys()].some((name) => names.has(name)));
}

/** Values that a request is about. All others prove who asks and when: credentials, tokens, signatures, time and nonce. */
const CONTENT: ReadonlySet<string> = new Set(["inputs", "steps", "order_id", "context", "region", "template"]);

function isProof(template: Template): boolean {
  return template.some((part) => {
    if (typeof part === "string") return false;
    return part.joined === undefined ? !CONTENT.has(part.root) : isProof(part.joined);
  });
}

function compileQuery(query: NonNullable<RequestFile["query"]>, known: KnownNames, place: DocumentLocation) {
  return Object.entries(query).map(([name, written]) => {
    if (name.includes("{{"))
      place.in(name).refuseKey("template.misplaced", "the name of a parameter must not contain a template");
    const template = parseTemplate(written, known, place.in(name));
    const fixed = template.every((part) => typeof part === "string");
    return [
      name,
      fixed ? fixedValue(percentEncode(template.join(""))) : compileLeaf(written, inQuery, known, place.in(name)),
      isProof(template),
    ] as const;
  });
}

function fixedValue(value: string): (values: TemplateValues) => readonly string[] {
  return () => [value];
}

type HeaderTemplate = readonly [name: string, render: (values: TemplateValues) => string | undefined];

/** @throws DeclarationError */
export function compileHeaders(
  headers: NonNullable<RequestFile["headers"]>,
  known: KnownNames,
  place: DocumentLocation,
): readonly HeaderTemplate[] {
  const seen = new Set<string>();
  return Object.entries(headers).map(([written, value]) => {
    const there = place.in(written);
    const name = checkHeaderName(written, there);
    if (seen.has(name)) there.refuseKey("request.duplicate", `"${written}" is given twice`);
    seen.add(name);
    const template = parseTemplate(value, known, there);
    for (const part of template) {
      if (typeof part === "string" && inHeader.encode(part) === null) {
        there.refuse("request.header", "a header field is one line of ASCII");
      }
    }
    return [name, (values: TemplateValues) => fill(template, values, inHeader)];
  });
}

/** Returns the name in lower case. @throws DeclarationError */
export function checkHeaderName(written: string, place: DocumentLocation): string {
  const name = written.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
    place.refuseKey("request.header", `"${written}" is not a valid name of a header field`);
  if (RESERVED.has(name)) {
    const hint = name === "content-type" ? "set body.content_type" : "leave it out";
    place.refuseKey("request.header", `a file must not set "${written}"`, hint);
  }
  return name;
}

export function renderHeaders(fields: readonly HeaderTemplate[], values: TemplateValues): Record<string, string> {
  const rendered: Record<string, string> = {};
  for (const [name, render] of fields) {
    const value = render(values);
    if (value !== undefined) rendered[name] = value;
  }
  return rendered;
}

/** The path with the query, if there is one. */
export function addressOf(request: RenderedRequest): string {
  return `${request.origin}${request.path}${request.query === "" ? "" : `?${request.query}`}`;
}

/**
 * Sends one request of a file. No status is a failure at this point, because the rules of the file are applied first.
 * @throws Fault
 */
export type SendRequest = (request: RenderedRequest) => Promise<Reply>;

/** All error statuses. A redirect that is not followed cannot be interpreted. */
const ANSWERS: readonly number[] = Array.from({ length: 200 }, (_, index) => 400 + index);

/** What a request costs, as far as its file determines that before it is sent. */
export interface RenderedCost {
  readonly free: boolean;
  /** Whether the request places an order. */
  readonly isOrder?: boolean;
  /** The highest possible price; `undefined`: the list price of the source. */
  readonly most?: Price | null | undefined;
}

/** The cost of a login, of a check of a credential, and so on. */
export const FREE: RenderedCost = { free: true };

export function createSend(
  http: Http,
  tls: ClientTls | undefined,
  accept: string,
  { free, most, isOrder = false }: RenderedCost,
): SendRequest {
  return (request) => {
    const options = {
      headers: { accept, ...request.headers },
      body: request.body,
      answers: ANSWERS,
      redirects: request.redirects,
      free,
      order: isOrder,
      tls,
    };
    const listed: HttpOptions & ListedRequest = most === undefined ? options : { ...options, [listPrice]: most };
    return http.request(request.method, addressOf(request), listed);
  };
}
