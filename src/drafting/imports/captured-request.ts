import { isJsonObject, readJsonExactly, type Json, type JsonObject } from "../../terms/json/json.ts";
import { freeField, joinAuth, keyAuth, type DraftedAuth } from "../draft-auth.ts";
import {
  decodePart,
  freeName,
  jsonBody,
  OTHER_METHODS,
  snakeCase,
  type DraftInput,
  type DraftRequest,
} from "../draft-request.ts";
import { DRAFT_METHODS } from "../../sources/declarative/draft-words.ts";
import {
  capturedName,
  fieldName,
  headerAuth,
  isPlainFlag,
  isPlainSegment,
  isUsualName,
  placeholderIn,
  singular,
  typeOf,
  userAuth,
} from "./captured-values.ts";
import { isSecretName } from "./secret-names.ts";
import type { ImportChoices, Imported } from "./imported.ts";

/** One real or documented request with all its secrets. None of its values may be written to a file. */
export interface CapturedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `type`: the media type if no header field gives one. */
  readonly body: { readonly text: string; readonly type: string } | undefined;
  /** In the form `name:password`. */
  readonly user: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Whether it may be written by hand, with placeholders such as `{number}` for values. */
  readonly hasPlaceholders: boolean;
  /** @throws ImportProblem with the position of the request */
  readonly refuse: (problem: string, instead?: string) => never;
  readonly notes: readonly string[];
}

/** Header fields that the service sets itself, or that a browser adds. */
const NOT_THE_FILES =
  /^(?::.*|host|connection|content-length|content-type|accept-encoding|keep-alive|te|trailer|transfer-encoding|upgrade|expect|origin|referer|dnt|priority|pragma|cache-control|upgrade-insecure-requests|x-requested-with|if-none-match|if-modified-since|sec-.*)$/i;
/** Header fields that concern the form of the reply. They are kept if their value has the expected form. */
const PLAIN_FIELDS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries<RegExp>({
    accept: /^[\w*.+-]+\/[\w*.+-]+(?:\s*[,;]\s*[\w*.+/=-]+)*$/,
    "accept-language": /^[a-z*]{1,3}(?:-[A-Za-z]{2,4})?(?:\s*[,;]\s*[\w*.=-]+)*$/,
    soapaction: /^"?[\w:/.#-]*"?$/,
  }),
);

/**
 * Drafts the request of a source from a captured one. Each value becomes an input with a masked example, or a
 * credential field if its name suggests a secret, or a constant if `fixed` names it.
 * @throws ImportProblem for each part that a declarative source cannot express
 */
export function draftCaptured(captured: CapturedRequest, choices: ImportChoices): Imported {
  const { refuse } = captured;
  if (!DRAFT_METHODS.includes(captured.method))
    refuse(
      `${/^[A-Z]{1,10}$/.test(captured.method) ? captured.method : "this method"} cannot be imported`,
      OTHER_METHODS,
    );
  const drafting = new Drafting(captured, choices);
  const { address, query } = drafting.address(captured.url);
  const headers = drafting.headers(captured.headers);
  const body = captured.body === undefined ? undefined : drafting.body(captured.body);
  for (const name of choices.fixed)
    if (!drafting.kept.has(name))
      refuse(
        `nothing in the request has the name "${name}"`,
        "--fixed takes the name of a parameter, a member or a header field",
      );
  return {
    request: { method: captured.method, address, query, headers, body, inputs: drafting.inputs },
    auth: joinAuth(drafting.auth),
    timeoutMs: captured.timeoutMs,
    words: new Set(),
    notes: [...captured.notes, ...drafting.notes()],
  };
}

/** A draft of a request to which parts are added. */
class Drafting {
  readonly inputs: DraftInput[] = [];
  readonly auth: DraftedAuth[] = [];
  /** The names in `fixed` that occurred. */
  readonly kept = new Set<string>();
  readonly #left = new Set<string>();
  readonly #refuse: CapturedRequest["refuse"];
  readonly #choices: ImportChoices;
  readonly #contentType: string | undefined;
  readonly #hasPlaceholders: boolean;
  readonly #flags: string[] = [];
  #path = "";

  constructor({ refuse, headers, user, hasPlaceholders }: CapturedRequest, choices: ImportChoices) {
    this.#refuse = refuse;
    this.#hasPlaceholders = hasPlaceholders;
    this.#choices = choices;
    this.#contentType = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
    if (user !== undefined) this.#prove(userAuth(user));
    for (const [name, value] of headers) if (name.toLowerCase() === "authorization") this.#prove(this.#authOf(value));
  }

  #authOf(authorization: string): DraftedAuth {
    const { login } = this.#choices;
    return login !== undefined && /^bearer\s/i.test(authorization) ? login : headerAuth(authorization);
  }

  address(url: string): Pick<DraftRequest, "address" | "query"> {
    const [, origin, user, host, rest = ""] = /^(https?:\/\/)(?:([^/?#@]*)@)?([^/?#]*)(.*)$/is.exec(url) ?? [];
    if (origin === undefined)
      return this.#refuse("its address does not begin with https://", "write the complete address");
    if (!/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d+)?$/.test(host!))
      return this.#refuse("its host is not a plain name", "an input cannot change the host");
    if (user !== undefined) this.#prove(userAuth(user));
    const [path = "", query = ""] = rest.split("#", 1)[0]!.split(/\?(.*)/s, 2);
    const segments = path.split("/");
    const made = segments.map((segment, at) => this.#segment(segment, segments[at - 1] ?? ""));
    this.#path = made.map((segment) => segment.replace(/^\{\{ inputs\.(.*) \}\}$/, "{$1}")).join("/");
    return {
      address: `${origin.toLowerCase()}${host!.toLowerCase()}${made.join("/")}`,
      query: this.#pairs(query, "query"),
    };
  }

  headers(headers: CapturedRequest["headers"]): Record<string, string> {
    const kept = new Map<string, string>();
    for (const [name, value] of headers) {
      const lower = name.toLowerCase();
      if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$|^:/.test(lower)) this.#refuse("a header field has an invalid name");
      this.#assertName(name, "of a header field");
      const isUsual = lower === "accept" && value === "application/json";
      if ((isUsual || NOT_THE_FILES.test(lower)) && !this.#isFixed(name)) this.#left.add(lower);
      else if (lower === "authorization") continue;
      else if (this.#isFixed(name) || PLAIN_FIELDS.get(lower)?.test(value) === true)
        kept.set(name, this.#literal(value));
      else this.#secret(name, { header: name });
    }
    return Object.fromEntries(kept);
  }

  body({ text, type }: NonNullable<CapturedRequest["body"]>): DraftRequest["body"] {
    const media = (this.#contentType ?? type).split(";")[0]!.trim().toLowerCase();
    const isJson = media === "application/json" || /^application\/[a-z0-9.+-]{1,80}\+json$/.test(media);
    if (isJson) return jsonBody(this.#json(readJson(text, this.#refuse), "body"), media);
    if (media !== "application/x-www-form-urlencoded")
      return this.#refuse(
        `a body of ${/^(?:application|text|image|multipart)\/[a-z.+-]{1,40}$/.test(media) ? media : "this type"} cannot be imported`,
        "write it into the file by hand: body takes json, form, xml and text",
      );
    if (/^\s*[[{]/.test(text))
      return this.#refuse(
        "the body is JSON but is sent as a form",
        "give -H 'Content-Type: application/json', or --json",
      );
    if (text !== "" && !text.includes("=") && !this.#isFixed(decodePart(text)))
      return this.#refuse("the body is a text and not a form", "write it into the file by hand, as text under body");
    return { form: this.#pairs(text, "form") };
  }

  notes(): string[] {
    const { inputs, auth } = this;
    const fields = auth.flatMap(({ fields: own }) => Object.keys(own));
    return [
      `Inputs: ${inputs.length === 0 ? "none" : inputs.map(({ name }) => name).join(", ")}. The path is kept as ${this.#path === "" ? "/" : this.#path}; write {name} where it has an input.`,
      ...(this.#flags.length === 0 ? [] : [`Parameters without a value, which are kept: ${this.#flags.join(", ")}.`]),
      ...(fields.length === 0 ? [] : [`Fields of the credential, without their values: ${fields.join(", ")}.`]),
      ...(this.#left.size === 0
        ? []
        : [
            `Header fields left out, because the service sets them or only browsers send them: ${[...this.#left].join(", ")}.`,
          ]),
    ];
  }

  #segment(segment: string, before: string): string {
    const text = decodePart(segment.replaceAll("+", "%2B"));
    const named = this.#placeholder(text, "path");
    if (named !== null) return this.#input(named, TEXT, undefined);
    const inside = this.#hasPlaceholders ? [...segment.matchAll(PLACEHOLDERS)] : [];
    if (inside.length > 0 && inside.every(([, name]) => isUsualName(name!))) return this.#mixed(segment);
    if (text === "" || isPlainSegment(text) || this.#isFixed(text)) return segment;
    return this.#input(`${singular(before)}_id`, TEXT, text);
  }

  /** A segment with inputs between other characters. The other parts must be words. */
  #mixed(segment: string): string {
    const others = decodePart(segment.replaceAll(PLACEHOLDERS, "/")).split(/[^\p{L}\p{N}_~-]+/u);
    if (!others.every((word) => word === "" || isPlainSegment(word) || this.#isFixed(word)))
      this.#refuse("the text beside an input in its path may be a value", "include it in the input");
    return segment.replaceAll(PLACEHOLDERS, (_, name: string) => this.#input(name, TEXT, undefined));
  }

  /** Parameters of a query or fields of a form. A name that occurs twice becomes a list. */
  #pairs(text: string, where: "query" | "form"): Record<string, string> {
    const values = new Map<string, string[]>();
    for (const pair of text.split("&").filter((one) => one !== "")) {
      const [name = "", value = ""] = pair.split(/=(.*)/s, 2);
      const known = decodePart(name);
      values.set(known, [...(values.get(known) ?? []), decodePart(value)]);
    }
    const made = new Map<string, string>();
    for (const [name, all] of values) {
      const [value] = all;
      if (name === "" || /[{}]/.test(name))
        this.#refuse(`a name in the ${where} is empty or an input`, "names must be constants");
      const fixed = this.#isFixed(name);
      // The padding of base64 text looks like a parameter whose value consists of equals signs.
      if (all.some((one) => /^=*$/.test(one))) this.#assertFlag(name, where);
      else this.#assertName(name, `in the ${where}`);
      if (all.length > 1 && (fixed || isSecretName(name)))
        this.#refuse(`"${name}" occurs several times in the ${where}`, "make the list an input");
      if (all.length === 1 && value === "") this.#flags.push(name);
      if (fixed || (all.length === 1 && value === "")) made.set(name, this.#literal(value!));
      else if (isSecretName(name) && where === "query") this.#secret(name, { query: name });
      else if (isSecretName(name)) made.set(name, this.#field(name));
      else if (all.length > 1) made.set(name, this.#input(name, { type: "array", items: TEXT, minItems: 1 }, all));
      else made.set(name, this.#text(name, value!));
    }
    return Object.fromEntries(made);
  }

  /** A part of a JSON body: values become inputs, the structure stays. */
  #json(value: Json, name: string): Json {
    if (Array.isArray(value)) {
      if (value.length === 0 || value.some((part) => typeof part === "object"))
        return value.map((part: Json) => this.#json(part, name));
      if (this.#isFixed(name)) return value;
      const types = [...new Set(value.map(typeOf))];
      const items: JsonObject =
        types.length === 1 && types[0] !== "string" ? { type: types[0]! } : types.length === 1 ? TEXT : {};
      return this.#input(name, { type: "array", items, minItems: 1 }, value);
    }
    if (isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype)
      return Object.fromEntries(
        Object.entries(value).map(([member, part]) => [this.#member(member), this.#json(part, member)]),
      );
    if (value === null || value === "") return value;
    if (this.#isFixed(name)) {
      if (typeof value === "object")
        return this.#refuse(`"${name}" has more digits than a file can hold`, "make it an input");
      return typeof value === "string" ? this.#literal(value) : value;
    }
    if (isSecretName(name)) return this.#field(name);
    if (typeof value !== "string") return this.#input(name, { type: typeOf(value) }, value);
    return this.#text(name, value);
  }

  /** An input for a text. A placeholder determines its name. */
  #text(name: string, value: string): string {
    const named = this.#placeholder(value, "value");
    return this.#input(named ?? name, TEXT, named === null ? value : undefined);
  }

  #placeholder(text: string, where: "path" | "value"): string | null {
    return this.#hasPlaceholders ? placeholderIn(text, where) : null;
  }

  #member(name: string): string {
    if (name.includes("{{")) this.#refuse("a member's name is a template", "names must be constants");
    this.#assertName(name, "of a member of the body");
    return name;
  }

  /** Only names that the vendor chose may appear in the file and in messages. */
  #assertName(name: string, of: string): void {
    if (!isUsualName(name) && !this.#isFixed(name))
      this.#refuse(
        `a name ${of} may be a value`,
        "keep the name and its value with --fixed, or write the file by hand",
      );
  }

  /** The same for a parameter without a value, which may be a value without a name. */
  #assertFlag(name: string, where: "query" | "form"): void {
    if (!this.#isFixed(name) && !isPlainFlag(name))
      this.#refuse(`a part of the ${where} has no value, or is a value without a name`, "keep it with --fixed");
  }

  #isFixed(name: string): boolean {
    const known = [name, snakeCase(name)].find((each) => this.#choices.fixed.has(each));
    if (known !== undefined) this.kept.add(known);
    return known !== undefined;
  }

  #literal(value: string): string {
    return value.includes("{{") ? this.#refuse("a value kept by --fixed looks like a template") : value;
  }

  #input(written: string, schema: JsonObject, seen: Json | undefined): string {
    const name = freeName(capturedName(written), new Set(this.inputs.map((input) => input.name)));
    const given = Object.hasOwn(this.#choices.examples, name) ? this.#choices.examples[name] : undefined;
    const example = given ?? (seen === undefined ? undefined : this.#choices.mask(seen));
    this.inputs.push({ name, schema, required: true, ...(example === undefined ? {} : { example }) });
    return `{{ inputs.${name} }}`;
  }

  /** Adds the authentication. A request has only one. */
  #prove(auth: DraftedAuth): void {
    if (this.auth.length > 0)
      this.#refuse("it is authenticated twice: by a user and by Authorization", "remove one of them");
    this.auth.push(auth);
  }

  #secret(name: string, place: { readonly header: string } | { readonly query: string }): void {
    this.auth.push(keyAuth(place, { field: freeField(fieldName(name), this.auth) }));
  }

  /** The credential field for a secret in the body. */
  #field(name: string): string {
    const field = freeField(fieldName(name), this.auth);
    this.auth.push({ fields: keyAuth({ query: name }, { field }).fields, kinds: [], origins: [] });
    return `{{ credentials.${field} }}`;
  }
}

const PLACEHOLDERS = /\{\{? ?([A-Za-z][\w-]*) ?\}?\}/g;
const TEXT: JsonObject = { type: "string", minLength: 1, maxLength: 2_000 };

function readJson(text: string, refuse: CapturedRequest["refuse"]): Json {
  try {
    return readJsonExactly(text);
  } catch {
    return refuse("its body is not valid JSON", 'a placeholder has to be in quotes: {"number": "{number}"}');
  }
}
