import type { Context } from "../terms/caller.ts";
import { isJsonObject, type Json, type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import { OperatorError } from "../terms/operator-error.ts";

/** What is asked for each row. A batch can only be continued with the same one. */
export interface BatchSpec {
  /** Of `POST /data`; empty if a function is asked. */
  readonly sources: readonly string[];
  /** Of `POST /func`. */
  readonly func: string | null;
  readonly workflow: string;
  readonly context: Context | null;
  /** Columns of the file by the input that each one fills. */
  readonly columns: Readonly<Record<string, string>>;
  /** Inputs that are the same for every row, as texts of the command line. */
  readonly constants: Readonly<Record<string, string>>;
  /** The columns that are copied into the records. */
  readonly kept: readonly string[];
}

/** Reads `input=Column` and `input=value`. @throws OperatorError */
export function readPairs(option: string, pairs: readonly string[]): Record<string, string> {
  const read: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw usage(`${option} takes the name of an input, = and a value.`);
    const name = pair.slice(0, at);
    if (Object.hasOwn(read, name)) throw usage(`${option} names the input ${name} twice.`);
    read[name] = pair.slice(at + 1);
  }
  return read;
}

export function usage(message: string): OperatorError {
  return new OperatorError("usage", message);
}

/**
 * The value of a text for an input whose schema allows these types. CSV and the command line have only texts, and the
 * service converts nothing. A text that is not of the type stays a text, so that the check of the inputs reports it.
 */
export function valueOfText(text: string, types: ReadonlySet<string>): Json {
  if (types.size === 0 || types.has("string")) return text;
  if (types.has("boolean") && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const isNumber = (types.has("integer") && INTEGER.test(text)) || (types.has("number") && NUMBER.test(text));
  const isNested = (types.has("array") && text.startsWith("[")) || (types.has("object") && text.startsWith("{"));
  if (!isNumber && !isNested) return text;
  try {
    return readJsonExactly(text);
  } catch {
    return text;
  }
}

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The types that a schema allows for one of its properties, in any branch; empty if it does not say. */
export function typesOf(schema: JsonObject, name: string): ReadonlySet<string> {
  const types = new Set<string>();
  addTypes(schema, name, types);
  return types;
}

function addTypes(schema: JsonObject, name: string, types: Set<string>): void {
  const { properties } = schema;
  if (isJsonObject(properties) && isJsonObject(properties[name])) addTypesOfValue(properties[name], types);
  for (const branch of branchesOf(schema)) addTypes(branch, name, types);
}

function addTypesOfValue(schema: JsonObject, types: Set<string>): void {
  const { type, const: constant, enum: values } = schema;
  for (const one of Array.isArray(type) ? type : [type]) if (typeof one === "string") types.add(one);
  if (type === undefined) {
    const samples = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
    for (const sample of samples) types.add(typeof sample);
  }
  for (const branch of branchesOf(schema)) addTypesOfValue(branch, types);
}

function branchesOf(schema: JsonObject): JsonObject[] {
  return ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const branches = schema[keyword];
    return Array.isArray(branches) ? branches.filter(isJsonObject) : [];
  });
}
