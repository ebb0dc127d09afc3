import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { DRAFT_METHODS_LIST } from "../sources/declarative/draft-words.ts";

/** The advice for a method that a draft cannot use. */
export const OTHER_METHODS = `a draft can use ${DRAFT_METHODS_LIST}; write any other method into the file by hand`;

/** The request of a drafted source, with templates for values. */
export interface DraftRequest {
  readonly method: string;
  /** Origin and path. */
  readonly address: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: DraftBody | undefined;
  readonly inputs: readonly DraftInput[];
}

type DraftBody = (
  | { readonly json: Json }
  | { readonly form: Readonly<Record<string, string>> }
  | { readonly xml: JsonObject }
) & {
  readonly content_type?: string;
};

/** A JSON body, with its media type if that is not `application/json`. */
export function jsonBody(json: Json, media: string): DraftBody {
  return media === "application/json" ? { json } : { json, content_type: media };
}

export interface DraftInput {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
  /** The value that the cases send. If omitted, one is made up. */
  readonly example?: Json;
}

const TEXT_INPUT: JsonObject = { type: "string", minLength: 1, maxLength: 200 };
const NAMED = /\{([a-z][a-z0-9_]*)\}/g;

/** Parses a request as a person types it, with inputs in braces. @throws RangeError with a message for that person */
export function typedRequest(typed: {
  readonly method: string;
  /** `https://api.vendor.example/companies/{company_number}?lang={language}` */
  readonly url: string;
  readonly body: Json | undefined;
}): DraftRequest {
  assertAddress(typed.url);
  const [address = "", query = ""] = typed.url.split("?", 2);
  const parameters = query === "" ? [] : query.split("&").map((pair) => pair.split("=", 2) as [string, string?]);
  if (/[{}]/.test(typed.url.replaceAll(NAMED, "")))
    throw new RangeError("a brace in the url is not part of an input, which is written {name} in lower snake case");
  const names = namesIn(`${typed.url} ${JSON.stringify(typed.body ?? null)}`);
  return {
    method: typed.method,
    address: withTemplates(address),
    query: Object.fromEntries(
      parameters.map(([name, value = ""]) => [decodePart(name), withTemplates(decodePart(value))]),
    ),
    headers: {},
    body: typed.body === undefined ? undefined : { json: templatesIn(typed.body) },
    inputs: names.map((name) => ({ name, schema: TEXT_INPUT, required: true })),
  };
}

/** Checks that host and scheme are constant and valid. @throws RangeError with a message for the author */
function assertAddress(url: string): void {
  const parsed = URL.parse(url.replaceAll(/[{}]/g, "_"));
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new RangeError("the url is not an http(s) address");
  if (/[{}]/.test(/^[a-z]+:\/\/[^/?]*/i.exec(url)![0]))
    throw new RangeError("an input cannot change the host of the url");
}

/** The inputs in braces in a text. */
export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(NAMED)].map(([, name]) => name!))];
}

/** Turns `{name}` into the template that the file uses. */
function withTemplates(text: string): string {
  return text.replaceAll(NAMED, "{{ inputs.$1 }}");
}

function templatesIn(value: Json): Json {
  if (typeof value === "string") return withTemplates(value);
  if (Array.isArray(value)) return value.map(templatesIn);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, templatesIn(part)]));
}

/** Decodes a part of a query or form. A part with invalid encoding is returned unchanged. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** Turns `companyNumber` and `Company-Number` into `company_number`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase();
}

/** The name of an input for a name that the vendor chose. */
export function inputName(written: string): string {
  const snake = snakeCase(written);
  return /^[a-z]/.test(snake) ? snake : `value_${snake}`.replace(/_$/, "");
}

/** The name, with a number if it is taken. */
export function freeName(plain: string, taken: ReadonlySet<string>): string {
  let free = plain;
  for (let count = 2; taken.has(free); count += 1) free = `${plain}_${count}`;
  return free;
}
