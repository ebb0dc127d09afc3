import { openApiDocument } from "../http/public-openapi.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import type { ContractFunction, ContractSource } from "./ports.ts";

/** The mark of a component that describes a source or a function. */
export const KIND = "x-datarun-kind";

/**
 * The public contract with the sources and functions of one deployment. Only descriptions and named fields are added to
 * the contract of `openapi.json`, so a client of one is a client of the other.
 *
 * A source has the component of its id, which is its entry in `config.sources`, and components for its inputs, its
 * credentials and its output. A function has the component of its id, which is its entry in `outputs`, and components
 * for its inputs and its output.
 */
export function deploymentContract(
  sources: readonly ContractSource[],
  functions: readonly ContractFunction[],
): JsonObject {
  const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;
  const { schemas } = document.components;
  const { DataRequest, FuncRequest, DataResponse, FuncResponse } = schemas;
  for (const request of [DataRequest, FuncRequest]) {
    const map = request.properties.config.properties.sources;
    map.properties = Object.fromEntries(sources.map(({ id }) => [id, reference(id)]));
  }
  DataResponse.properties.outputs.properties = Object.fromEntries(
    sources.map((source) => [source.id, outputOf(source)]),
  );
  FuncResponse.properties.outputs.properties = Object.fromEntries(functions.map(({ id }) => [id, reference(id)]));
  nameInputs(DataRequest.properties, sources);
  nameInputs(
    FuncRequest.properties,
    functions.filter(({ inputs }) => inputs !== undefined),
  );
  const entry = DataRequest.properties.config.properties.sources.additionalProperties;
  const described = [...sources.map((source) => ofSource(source, entry)), ...functions.map(ofFunction)];
  Object.assign(schemas, ...described);
  return document as unknown as JsonObject;
}

/** What is changed in the document. */
interface Document {
  readonly components: {
    readonly schemas: Record<"DataRequest" | "FuncRequest", RequestSchema> &
      Record<"DataResponse" | "FuncResponse", { readonly properties: { readonly outputs: MapSchema } }>;
  };
}

interface RequestSchema {
  readonly properties: {
    inputs: JsonObject;
    readonly config: { readonly properties: { readonly sources: MapSchema } };
  };
}

interface MapSchema {
  properties?: object;
  readonly additionalProperties: JsonObject;
}

/** Fields that no source or function declares stay allowed, as the service accepts them. */
function nameInputs(properties: RequestSchema["properties"], declared: readonly { readonly id: string }[]): void {
  if (declared.length === 0) return;
  const { description, ...open } = properties.inputs;
  const named = declared.map(({ id }) => reference(`${id}.inputs`));
  properties.inputs = { description, anyOf: [...named, open] } as JsonObject;
}

/** A record, or another object after a failure or without a record. */
function outputOf({ id, output }: ContractSource): object {
  return output === undefined ? OPEN : { anyOf: [reference(`${id}.output`), { type: "object" }] };
}

const OPEN = { type: "object", additionalProperties: true };

function ofSource(source: ContractSource, entry: JsonObject): Readonly<Record<string, object>> {
  const { id, title, description, inputs, output, credentials, credential, charge, limits, resumeInput } = source;
  const own = credentials === undefined ? entry : withCredentials(entry, reference(`${id}.credentials`));
  return {
    [id]: {
      ...own,
      title,
      description: description ?? title,
      [KIND]: "source",
      "x-datarun-credential": credential,
      "x-datarun-charge": charge,
      "x-datarun-limits": limits,
      ...(resumeInput !== undefined && { "x-datarun-resume-input": resumeInput }),
    },
    ...component(`${id}.inputs`, inputs),
    ...(credentials !== undefined && component(`${id}.credentials`, credentials)),
    ...(output !== undefined && component(`${id}.output`, output)),
  };
}

/** The entry of a source in `config.sources` with the schema of its own credentials. */
function withCredentials(entry: JsonObject, credentials: object): object {
  return JSON.parse(JSON.stringify(entry), (name, value: unknown) =>
    name === "credentials" ? { ...(value as { readonly description?: string }), ...credentials } : value,
  ) as object;
}

function ofFunction({ id, title, description, inputs, output, limits }: ContractFunction) {
  return {
    [id]: {
      type: "object",
      title,
      description: description ?? title,
      required: ["output", "pipes"],
      properties: {
        output: output === undefined ? OPEN : { anyOf: [reference(`${id}.output`), { type: "object" }] },
        pipes: OPEN,
      },
      [KIND]: "function",
      "x-datarun-limits": limits,
    },
    ...(inputs !== undefined && component(`${id}.inputs`, inputs)),
    ...(output !== undefined && component(`${id}.output`, output)),
  };
}

function reference(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * An author's schema as a component. References that it has into itself lead to the component, and its definitions
 * become components of their own, because generators of clients look for types there.
 */
function component(name: string, schema: object): Readonly<Record<string, object>> {
  const { $id, $schema: _, $defs = {}, definitions = {}, ...own } = plain(schema);
  const ownId = typeof $id === "string" ? $id : "";
  const parts = { ...(definitions as JsonObject), ...($defs as JsonObject) };
  const nameOf = (part: string) => `${name}.${part.replaceAll(/[^A-Za-z0-9._-]/g, "_")}`;
  const anchors = new Map<string, string>();
  for (const [part, inner] of Object.entries(parts))
    findAnchors(inner, `#/components/schemas/${nameOf(part)}`, anchors);
  findAnchors(own, `#/components/schemas/${name}`, anchors);
  const moved = (target: string): string => {
    const local = target.startsWith(ownId) ? target.slice(ownId.length) : target;
    const [, part, rest = ""] = /^#\/(?:\$defs|definitions)\/([^/]+)(\/.*)?$/.exec(local) ?? [];
    if (part !== undefined) return `#/components/schemas/${nameOf(decodeURIComponent(part))}${rest}`;
    const anchored = anchors.get(local);
    if (anchored !== undefined) return anchored;
    return local.startsWith("#") ? `#/components/schemas/${name}${local.slice(1)}` : target;
  };
  const rewritten = (value: Json): Json => {
    if (!isJsonObject(value)) return value;
    const { $ref, ...others } = value;
    const members = Object.entries(others)
      .filter(([key]) => isKeyword(key))
      .map(([key, inner]) => [key, rewrittenAt(key, inner)] as const);
    return named({ ...(typeof $ref === "string" && { $ref: moved($ref) }), ...Object.fromEntries(members) });
  };
  const rewrittenAt = (key: string, value: Json): Json => {
    if (SCHEMA_KEYWORDS.has(key)) return Array.isArray(value) ? value.map(rewritten) : rewritten(value);
    if (!MAP_KEYWORDS.has(key) || !isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, rewritten(inner)]));
  };
  return Object.fromEntries([
    [name, rewritten(own) as JsonObject],
    ...Object.entries(parts).map(([part, inner]) => [nameOf(part), rewritten(inner) as JsonObject] as const),
  ]);
}

/**
 * Adds the pointer of each `$anchor` in a schema. The contract has none: its components are one document, in which two
 * authors could have chosen the same name.
 */
function findAnchors(schema: unknown, pointer: string, found: Map<string, string>): void {
  if (!isJsonObject(schema)) return;
  const { $anchor } = schema;
  if (typeof $anchor === "string" && !found.has(`#${$anchor}`)) found.set(`#${$anchor}`, pointer);
  for (const [key, value] of Object.entries(schema)) {
    const isMap = MAP_KEYWORDS.has(key);
    if (!isJsonObject(value) && !Array.isArray(value)) continue;
    if (!isMap && !SCHEMA_KEYWORDS.has(key)) continue;
    if (!isMap && !Array.isArray(value)) findAnchors(value, `${pointer}/${key}`, found);
    else for (const [at, part] of Object.entries(value)) findAnchors(part, `${pointer}/${key}/${inPointer(at)}`, found);
  }
}

/** A name as a step of a JSON pointer in a URL. */
function inPointer(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Keywords whose value is a schema or a list of schemas, a map of schemas, or anything else. */
const SCHEMA_KEYWORDS = words(
  "allOf anyOf oneOf not if then else items prefixItems contains propertyNames additionalProperties unevaluatedItems unevaluatedProperties",
);
const MAP_KEYWORDS = words("properties patternProperties dependentSchemas $defs definitions");
const OTHER_KEYWORDS = words(`
  type const enum required minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format
  minItems maxItems uniqueItems minContains maxContains minProperties maxProperties dependentRequired title description
  default examples example deprecated readOnly writeOnly contentMediaType contentEncoding $comment`);

/** The service accepts other names in an author's schema, which mean nothing; a contract must not have them. */
function isKeyword(key: string): boolean {
  return SCHEMA_KEYWORDS.has(key) || MAP_KEYWORDS.has(key) || OTHER_KEYWORDS.has(key) || key.startsWith("x-");
}

/** Names every required field among the properties, as linters and generators expect; `{}` says nothing about it. */
function named(schema: JsonObject): JsonObject {
  const { required, properties } = schema;
  if (!Array.isArray(required)) return schema;
  const unnamed = (required as string[]).filter(
    (name) => !isJsonObject(properties) || !Object.hasOwn(properties, name),
  );
  if (unnamed.length === 0) return schema;
  const added = Object.fromEntries(unnamed.map((name) => [name, {}]));
  return { ...schema, properties: { ...(properties as JsonObject | undefined), ...added } };
}

/** A copy by JSON, because schemas from a library have properties that are not enumerable. */
function plain(schema: object): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
