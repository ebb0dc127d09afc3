import type { ChargeModel } from "../terms/money/charge.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { logsIn } from "./draft-auth.ts";
import { freeName, snakeCase, type DraftInput } from "./draft-request.ts";
import { exampleFor, otherExample } from "./example-values.ts";
import { findRecord, ownMembers, type RecordPath } from "./find-record.ts";
import { repeatedIn, writeXmlSample } from "./sample-text.ts";
import { pathOf, distinguishingCondition, distinguishingSteps } from "./distinguishing-path.ts";
import type { DraftFacts } from "./imports/imported.ts";
import { isTrue } from "../sources/declarative/expressions/evaluate.ts";
import { toYaml } from "../sources/declarative/write-yaml.ts";

/** The facts for a draft, as a vendor's documentation gives them. */
export interface SourceDraft extends DraftFacts {
  readonly id: string;
  readonly title: string;
  readonly sample: Json;
  readonly charge: ChargeModel;
  /** How a reply without a record differs: by status, or by its body with status 200. */
  readonly nobody: { readonly status: number } | { readonly sample: Json };
}

/**
 * Makes the first version of a source file, as an object for `toYaml`. @throws RangeError with a message for the author
 */
export function draftSource(draft: SourceDraft): JsonObject {
  const { request, auth } = draft;
  const { inputs } = request;
  if (inputs.length === 0) throw new RangeError("the request has no input: write {name} where an input belongs");
  const examples = examplesOf(draft);
  const answer = draftAnswer(draft);
  return {
    id: draft.id,
    title: draft.title,
    ...(draft.description === undefined ? {} : { description: draft.description }),
    ...(draft.docs === undefined ? {} : { docs: draft.docs }),
    inputs: {
      type: "object",
      required: inputs.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(inputs.map(({ name, schema }) => [name, schema])),
    },
    ...(Object.keys(auth.fields).length === 0
      ? {}
      : { credentials: { type: "object", required: Object.keys(auth.fields), properties: auth.fields } }),
    origins: [...originsOf(draft)],
    timeout_ms: draft.timeoutMs ?? 10_000,
    ...(auth.kinds.length === 0 ? {} : { auth: auth.kinds.length === 1 ? auth.kinds[0]! : [...auth.kinds] }),
    request: {
      method: request.method,
      url: request.address,
      ...(Object.keys(request.query).length === 0 ? {} : { query: request.query }),
      ...(Object.keys(request.headers).length === 0 ? {} : { headers: request.headers }),
      ...(request.body === undefined ? {} : { body: request.body }),
    },
    ...(draft.format === undefined ? {} : { reply: replyOf(draft) }),
    ...(draft.errors === undefined ? {} : { errors: [...draft.errors.rows] }),
    match: answer.match,
    map: answer.map,
    output: answer.output,
    charge: draft.charge,
    cases: casesOf(draft, examples),
  };
}

/** The origins that the file declares: those of the request and of its logins. */
export function originsOf({ request, auth }: Pick<SourceDraft, "request" | "auth">): ReadonlySet<string> {
  return new Set([originOf(request.address), ...auth.origins]);
}

/** A repeated element in a sample is a list. An element that occurs once may or may not be one. */
function replyOf({ format, sample, nobody }: SourceDraft): JsonObject {
  const lists = [...repeatedIn(sample), ...("sample" in nobody ? repeatedIn(nobody.sample) : [])];
  return { format: format!, ...(lists.length === 0 ? {} : { lists: [...new Set(lists)] }) };
}

function originOf(address: string): string {
  return URL.parse(address.replaceAll(/[{}]/g, "_"))!.origin;
}

/** The text of the file, with blank lines between its sections. */
export function writeDraft(source: JsonObject, schemaPath: string): string {
  const text = toYaml(source)
    .replaceAll(/^(inputs|auth|request|cases):/gm, "\n$1:")
    .replaceAll(/^( {2}- name:)/gm, "\n$1")
    .replace(/^cases:\n\n/m, "cases:\n");
  return `# yaml-language-server: $schema=${schemaPath}\n${text}`;
}

/** Derives from the samples when a reply is a record, and the fields of a record with their types. */
function draftAnswer(draft: SourceDraft) {
  const { sample, nobody, describe, status = 200 } = draft;
  const place = findRecord(sample);
  const steps = signSteps(sample, nobody, place);
  const holds = steps === null ? "" : ` && ${pathOf(steps)}`;
  const fields = fieldsOf(sample, place);
  if (fields.length === 0) throw new RangeError("the sample has no field");
  const required = fields.find(({ value }) => typeof value === "string" && value !== "");
  return {
    match: {
      record: `status == \`${status}\`${holds}`,
      no_record: [
        "sample" in nobody ? noRecordOf(sample, nobody.sample, steps) : `status == \`${nobody.status}\``,
        ...(hasEmptyCase(draft, place) ? [`(status == \`${status}\` && ${isEmptyList(place)})`] : []),
      ].join(" || "),
    },
    map: Object.fromEntries(fields.map((field) => [field.name, pathOf(field.steps)])),
    output: {
      type: "object",
      ...(required === undefined ? {} : { required: [required.name] }),
      properties: Object.fromEntries(
        fields.map((field) => [field.name, describe?.(field.steps) ?? typeOf(field.value)]),
      ),
    },
  };
}

/** The path whose presence shows a record; `null` if the status alone shows it. */
function signSteps(sample: Json, nobody: SourceDraft["nobody"], { steps, isList }: RecordPath) {
  const isRoot = steps.length === 0 && !isList;
  const other = "sample" in nobody ? nobody.sample : null;
  if (!isRoot && !isTrue(valueAt(other, steps))) return steps;
  if ("sample" in nobody || !isJsonObject(sample)) return distinguishingSteps(sample, other);
  const [first] = ownMembers(sample);
  return first === undefined ? null : [first[0]];
}

/** Whether a reply with an empty list is a separate case. In XML an empty list has no element at all. */
function hasEmptyCase({ format, nobody }: SourceDraft, { steps, isList }: RecordPath): boolean {
  if (!isList || format === "xml") return false;
  const there = "sample" in nobody ? valueAt(nobody.sample, steps) : null;
  return !(Array.isArray(there) && there.length === 0);
}

function isEmptyList({ steps }: RecordPath): string {
  return `type(${pathOf(steps)}) == 'array' && length(${pathOf(steps)}) == \`0\``;
}

/** One line that tells the author what the draft treats as the record. */
export function describeGuess(draft: SourceDraft): string {
  const { sample, nobody } = draft;
  const place = findRecord(sample);
  const { steps, isList } = place;
  const sign = signSteps(sample, nobody, place);
  const record = isList ? `the list ${pathOf(steps)}` : steps.length === 0 ? "the whole reply" : pathOf(steps);
  const by = sign === null ? "" : `, recognised by ${pathOf(sign)}`;
  const empty = hasEmptyCase(draft, place) ? "; an empty list means no record" : "";
  return `The record is guessed to be ${record}${by}${empty}: compare match and map with the vendor's documentation.`;
}

function valueAt(value: Json, steps: readonly string[]): Json {
  let found = value;
  for (const step of steps) found = isJsonObject(found) && Object.hasOwn(found, step) ? found[step]! : null;
  return found;
}

/**
 * The condition for a reply without a record. It requires something that such a reply has, so that an empty or
 * unexpected reply does not match.
 */
function noRecordOf(sample: Json, nobody: Json, steps: readonly string[] | null): string {
  if (steps === null)
    throw new RangeError("the reply for nobody has every field of the sample, so it cannot be recognised");
  const sign = distinguishingCondition(nobody, sample);
  if (sign === null) throw new RangeError("the reply for nobody has no field by which it can be recognised");
  return `status == \`200\` && ${sign} && !(${pathOf(steps)})`;
}

interface Field {
  readonly name: string;
  readonly steps: readonly string[];
  readonly value: Json;
}

/** The members of the record. If the record is a list: the list and the members beside it. */
function fieldsOf(sample: Json, { steps: place, isList }: RecordPath): readonly Field[] {
  if (Array.isArray(sample)) return [{ name: "records", steps: [], value: sample }];
  const steps = isList ? place.slice(0, -1) : place;
  const record = valueAt(sample, steps);
  if (!isJsonObject(record)) return [];
  const taken = new Set<string>();
  return (isList ? ownMembers(record) : Object.entries(record)).map(([name, value]) => {
    const free = freeName(snakeCase(name) || "field", taken);
    taken.add(free);
    return { name: free, steps: [...steps, name], value };
  });
}

function typeOf(value: Json): JsonObject {
  if (value === null) return {};
  return { type: Array.isArray(value) ? "array" : typeof value };
}

/** The inputs of the cases. @throws RangeError that names the input for which an example must be given */
function examplesOf({ request, sample }: SourceDraft): JsonObject {
  return Object.fromEntries(
    request.inputs.map(({ name, schema, example }) => {
      const shown = example === undefined ? shownIn(sample, name) : [example];
      const chosen = exampleFor(schema, shown);
      if (chosen === null)
        throw new RangeError(`no valid example of the input ${name} is known: give one with --set ${name}=VALUE`);
      return [name, chosen];
    }),
  );
}

function casesOf(draft: SourceDraft, examples: JsonObject): JsonObject[] {
  const { request, auth, sample, format, nobody, status = 200 } = draft;
  const place = findRecord(sample);
  const written = (body: Json) => (format === "xml" ? writeXmlSample(body) : body);
  const login = logsIn(auth) ? [LOGIN_REPLY] : [];
  const replies = (reply: JsonObject): Json => (login.length === 0 ? reply : [...login, reply]);
  const none = "sample" in nobody ? { body: written(nobody.sample) } : { status: nobody.status, body: {} };
  const refused = request.inputs.find(({ required }) => required) ?? request.inputs[0]!;
  const { [refused.name]: _, ...others } = examples;
  const credentials = Object.fromEntries(
    Object.entries(auth.fields).map(([name, { examples: shown }]) => [
      name,
      Array.isArray(shown) ? (shown[0] as Json) : `example-${name}`,
    ]),
  );
  return [
    {
      name: "found",
      inputs: examples,
      ...(Object.keys(credentials).length === 0 ? {} : { credentials }),
      reply: replies({ ...(status === 200 ? {} : { status }), body: written(sample) }),
      expect: { match: true },
    },
    { name: "nobody", inputs: withAnother(examples, request.inputs), reply: replies(none), expect: { match: false } },
    ...(hasEmptyCase(draft, place)
      ? [
          {
            name: "the list is empty",
            inputs: withAnother(examples, request.inputs, 2),
            reply: replies({ ...(status === 200 ? {} : { status }), body: withEmptyList(sample, place.steps) }),
            expect: { match: false },
          },
        ]
      : []),
    ...(draft.errors?.shown ?? []).map(({ name, sample: body }) => ({
      name,
      inputs: withAnother(examples, request.inputs, 2),
      reply: replies({ status: 500, body: written(body) }),
      expect: { failure: "input" },
    })),
    refused.required
      ? { name: `without ${refused.name}`, inputs: others, expect: { failure: "input", field: refused.name } }
      : {
          name: `${refused.name} of another type`,
          inputs: { ...others, [refused.name]: refused.schema["type"] === "object" ? 0 : {} },
          expect: { failure: "input", field: refused.name },
        },
  ];
}

const LOGIN_REPLY: JsonObject = {
  body: { access_token: "example-access-token", token_type: "Bearer", expires_in: 3600 },
};

function withEmptyList(value: Json, steps: readonly string[]): Json {
  const [name, ...below] = steps;
  if (name === undefined) return [];
  return { ...(value as JsonObject), [name]: withEmptyList((value as JsonObject)[name]!, below) };
}

/**
 * Other inputs for a case without a record, so that a simulated vendor can distinguish it: the first input with another
 * valid value gets that value. `number`: which of the other values, from 1.
 */
function withAnother(examples: JsonObject, inputs: readonly DraftInput[], number = 1): JsonObject {
  for (const { name, schema } of inputs) {
    const other = otherExample(schema, examples[name]!, number);
    if (other !== examples[name]) return { ...examples, [name]: other };
  }
  return examples;
}

/** The value in the sample for an input of this name, if it can be sent without encoding. */
function shownIn(sample: Json, name: string): string[] {
  const field = fieldsOf(sample, findRecord(sample)).find((known) => known.name === name);
  const value = typeof field?.value === "number" ? String(field.value) : field?.value;
  return typeof value === "string" && isTrue(value) && /^[A-Za-z0-9_-]{1,60}$/.test(value) ? [value] : [];
}
