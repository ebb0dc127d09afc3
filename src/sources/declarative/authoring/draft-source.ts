import type { ChargeModel } from "../../../terms/charge.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../terms/json.ts";
import { draftAuth, type DraftedAuth } from "./draft-auth.ts";
import { isTruthy, pathOf, tellingSign, tellingSteps } from "./telling-path.ts";
import { toYaml } from "./write-yaml.ts";

/** What somebody knows of a vendor who has its documentation open. */
export interface SourceDraft {
  readonly id: string;
  readonly title: string;
  readonly docs: string | undefined;
  readonly method: "GET" | "POST" | "PUT";
  /** `https://api.vendor.example/companies/{company_number}?lang={language}`: an input stands in braces. */
  readonly url: string;
  /** A JSON body, whose texts may be inputs in braces. */
  readonly body: Json | undefined;
  /** `none`, `basic`, `bearer`, `header:X-Api-Key` or `query:key`. */
  readonly auth: string;
  readonly sample: Json;
  readonly charge: ChargeModel;
  /** How "nobody" looks: a status, or another answer with 200. */
  readonly nobody: { readonly status: number } | { readonly sample: Json };
}

/** A first source file, as an object ready for `toYaml`. @throws RangeError in words for its author */
export function draftSource(draft: SourceDraft): JsonObject {
  const url = URL.parse(draft.url.replaceAll(/[{}]/g, "_"));
  if (url === null || !/^https?:$/.test(url.protocol)) throw new RangeError("the url is not an http(s) address");
  const [address = "", query = ""] = draft.url.split("?", 2);
  if (/[{}]/.test(/^[a-z]+:\/\/[^/]*/i.exec(address)![0]))
    throw new RangeError("an input cannot change the host of the url");
  const parameters = query === "" ? [] : query.split("&").map((pair) => pair.split("=", 2) as [string, string?]);
  const names = namesIn(`${draft.url} ${JSON.stringify(draft.body ?? null)}`);
  if (/[{}]/.test(draft.url.replaceAll(INPUT, "")))
    throw new RangeError("a brace in the url is not part of an input, which is written {name} in lower snake case");
  if (names.length === 0) throw new RangeError("the request has no input: write {name} in the place of one");
  const auth = draftAuth(draft.auth);
  const answer = draftAnswer(draft);
  return {
    id: draft.id,
    title: draft.title,
    ...(draft.docs === undefined ? {} : { docs: draft.docs }),
    "x-live-tested": "never",
    inputs: {
      type: "object",
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, { type: "string", minLength: 1, maxLength: 200 }])),
    },
    ...(auth.fields.length === 0 ? {} : { credentials: credentialsOf(auth) }),
    origins: [url.origin],
    timeout_ms: 10_000,
    ...(auth.auth === null ? {} : { auth: auth.auth }),
    request: {
      method: draft.method,
      url: withTemplates(address),
      ...(parameters.length === 0
        ? {}
        : {
            query: Object.fromEntries(
              parameters.map(([name, value = ""]) => [name, withTemplates(decodeURIComponent(value))]),
            ),
          }),
      ...(draft.body === undefined ? {} : { body: { json: templatesIn(draft.body) } }),
    },
    match: answer.match,
    map: answer.map,
    output: answer.output,
    charge: draft.charge,
    cases: casesOf(draft, names, auth),
  };
}

/** The text of the file, with blank lines between its parts. */
export function writeDraft(source: JsonObject, schemaPath: string): string {
  const text = toYaml(source)
    .replaceAll(/^(inputs|auth|request|cases):/gm, "\n$1:")
    .replaceAll(/^( {2}- name:)/gm, "\n$1")
    .replace(/^cases:\n\n/m, "cases:\n");
  return `# yaml-language-server: $schema=${schemaPath}\n${text}`;
}

function credentialsOf({ fields }: DraftedAuth): JsonObject {
  return {
    type: "object",
    required: [...fields],
    properties: Object.fromEntries(
      fields.map((name) => [
        name,
        { type: "string", minLength: 1, ...(name === "username" ? {} : { writeOnly: true }) },
      ]),
    ),
  };
}

const INPUT = /\{([a-z][a-z0-9_]*)\}/g;

function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(INPUT)].map(([, name]) => name!))];
}

function withTemplates(text: string): string {
  return text.replaceAll(INPUT, "{{ inputs.$1 }}");
}

function templatesIn(value: Json): Json {
  if (typeof value === "string") return withTemplates(value);
  if (Array.isArray(value)) return value.map(templatesIn);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, templatesIn(part)]));
}

/** Which answers are a record, which fields a record has, and of which types: all from the samples. */
function draftAnswer({ sample, nobody }: SourceDraft) {
  const steps = tellingSteps(sample, "sample" in nobody ? nobody.sample : null);
  const holds = steps === null ? "" : ` && ${pathOf(steps)}`;
  const fields = fieldsOf(sample);
  if (fields.length === 0) throw new RangeError("the sample has no field");
  const required = fields.find(({ value }) => typeof value === "string" && value !== "");
  return {
    match: {
      record: `status == \`200\`${holds}`,
      no_record: "sample" in nobody ? noRecordOf(sample, nobody.sample, steps) : `status == \`${nobody.status}\``,
    },
    map: Object.fromEntries(fields.map(({ name, path }) => [name, path])),
    output: {
      type: "object",
      ...(required === undefined ? {} : { required: [required.name] }),
      properties: Object.fromEntries(fields.map(({ name, value }) => [name, typeOf(value)])),
    },
  };
}

/** Nobody is recognised by what that answer has: an empty or a strange answer must not be taken for it. */
function noRecordOf(sample: Json, nobody: Json, steps: readonly string[] | null): string {
  if (steps === null)
    throw new RangeError("the reply for nobody has everything that the sample has, so it cannot be recognised");
  const sign = tellingSign(nobody, sample);
  if (sign === null) throw new RangeError("the reply for nobody has no field by which it can be recognised");
  return `status == \`200\` && ${sign} && !(${pathOf(steps)})`;
}

interface Field {
  readonly name: string;
  readonly path: string;
  readonly value: Json;
}

const FIELDS_MAX = 40;

/** The members of the record: the sample's own, or those of the one object that it wraps. */
function fieldsOf(sample: Json): readonly Field[] {
  if (Array.isArray(sample)) return [{ name: "records", path: "body", value: sample }];
  const steps: string[] = [];
  let record = sample;
  for (let inner = wrappedIn(record); inner !== null; inner = wrappedIn(record)) {
    steps.push(inner[0]);
    record = inner[1];
  }
  if (!isJsonObject(record)) return [];
  const fields = Object.entries(record).map(([name, value]) => ({
    name: snakeCase(name),
    path: pathOf([...steps, name]),
    value,
  }));
  return fields
    .filter(({ name }, at) => name !== "" && fields.findIndex((other) => other.name === name) === at)
    .slice(0, FIELDS_MAX);
}

/** The only object among an object's members, where the others are a word or two about the answer itself. */
function wrappedIn(value: Json): [string, JsonObject] | null {
  if (!isJsonObject(value)) return null;
  const members = Object.entries(value);
  const objects = members.filter((member): member is [string, JsonObject] => isJsonObject(member[1]));
  return objects.length === 1 && members.length <= WRAPPER_MEMBERS_MAX ? objects[0]! : null;
}

const WRAPPER_MEMBERS_MAX = 2;

function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase();
}

function typeOf(value: Json): JsonObject {
  if (value === null) return {};
  return { type: Array.isArray(value) ? "array" : typeof value };
}

function casesOf(draft: SourceDraft, names: readonly string[], auth: DraftedAuth): JsonObject[] {
  const inputs = Object.fromEntries(names.map((name) => [name, exampleOf(name, draft.sample)]));
  const [first, ...others] = names;
  const nobody = "sample" in draft.nobody ? { body: draft.nobody.sample } : { status: draft.nobody.status, body: {} };
  const [address = "", query = ""] = draft.url.split("?", 2);
  const path = URL.parse(address.replaceAll(INPUT, (_, name: string) => inputs[name]!))!.pathname;
  return [
    {
      name: "found",
      inputs,
      ...(auth.fields.length === 0
        ? {}
        : { credentials: Object.fromEntries(auth.fields.map((name) => [name, `example-${name}`])) }),
      request: {
        method: draft.method,
        path,
        query: expectedQuery(query, inputs, auth),
        ...(auth.headers === null ? {} : { headers: auth.headers }),
        ...(draft.body === undefined ? {} : { body: withInputs(draft.body, inputs) }),
      },
      reply: { body: draft.sample },
      expect: { match: true },
    },
    { name: "nobody", inputs: { ...inputs, [first!]: "nobody" }, reply: nobody, expect: { match: false } },
    {
      name: `without ${first}`,
      inputs: Object.fromEntries(others.map((name) => [name, inputs[name]!])),
      expect: { failure: "input", field: first! },
    },
  ];
}

type Inputs = Readonly<Record<string, string>>;

/** The query as the vendor is to see it, the key that stands in it included. */
function expectedQuery(query: string, inputs: Inputs, auth: DraftedAuth): JsonObject {
  const pairs = query === "" ? [] : query.split("&").map((pair) => pair.split("=", 2) as [string, string?]);
  const key = auth.auth?.["query"];
  return {
    ...Object.fromEntries(pairs.map(([name, value = ""]) => [name, filledIn(decodeURIComponent(value), inputs)])),
    ...(typeof key === "string" ? { [key]: "example-api_key" } : {}),
  };
}

function filledIn(text: string, inputs: Inputs): string {
  return text.replaceAll(INPUT, (_, name: string) => inputs[name]!);
}

function withInputs(value: Json, inputs: Inputs): Json {
  if (typeof value === "string") return filledIn(value, inputs);
  if (Array.isArray(value)) return value.map((part: Json) => withInputs(part, inputs));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withInputs(part, inputs)]));
}

/** The sample's own value of that name where it has one that needs no encoding. */
function exampleOf(name: string, sample: Json): string {
  const field = fieldsOf(sample).find((known) => known.name === name);
  const value = typeof field?.value === "number" ? String(field.value) : field?.value;
  return typeof value === "string" && isTruthy(value) && /^[A-Za-z0-9_-]{1,60}$/.test(value) ? value : "example";
}
