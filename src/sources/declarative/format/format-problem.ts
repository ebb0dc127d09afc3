import { isJsonObject, type Json, type JsonObject } from "../../../terms/json/json.ts";

/** The first violation of the format in a document. */
export interface FormatProblem {
  readonly code: "format.unknown_key" | "format.missing_key" | "format.value";
  readonly path: readonly (string | number)[];
  /** The unknown or missing key, or the rest of a sentence that begins with the location. */
  readonly says: string;
  /** The allowed keys or values. */
  readonly known: readonly string[];
  readonly description: string | undefined;
}

type Path = readonly (string | number)[];
type Check = (schema: JsonObject, value: Json, path: Path, format: JsonObject) => FormatProblem | null;

/**
 * Checks a document against the format's schema by walking through both. For the few files of a start, this is faster
 * than compiling the schema, and it can tell which alternative the author meant. It supports only the keywords that
 * `format.ts` uses; a test compares it with a full validator.
 */
export const formatProblem: Check = (schema, value, path, format) => {
  const whole = resolved(schema, format);
  for (const check of CHECKS) {
    const problem = check(whole, value, path, format);
    if (problem !== null) return problem;
  }
  return null;
};

const checkType: Check = (schema, value, path) => {
  const { type } = schema;
  if (typeof type !== "string" || isOfType(value, type)) return null;
  return refuse(schema, path, `must be ${ARTICLE[type] ?? type}`);
};

const checkValue: Check = (schema, value, path) => {
  const allowed = "const" in schema ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(allowed) || (allowed as readonly Json[]).includes(value)) return null;
  const known = allowed.map(String);
  return { ...refuse(schema, path, `must be one of ${known.join(", ")}`), known };
};

const checkText: Check = (schema, value, path) => {
  if (typeof value !== "string") return null;
  const { minLength, pattern } = schema;
  if (typeof minLength === "number" && value.length < minLength) return refuse(schema, path, "must not be empty");
  if (typeof pattern !== "string" || new RegExp(pattern, "u").test(value)) return null;
  return refuse(schema, path, `must match ${pattern}`);
};

const checkNumber: Check = (schema, value, path) => {
  if (typeof value !== "number") return null;
  const { minimum, maximum } = schema;
  if (typeof minimum === "number" && value < minimum) return refuse(schema, path, `must be at least ${minimum}`);
  if (typeof maximum === "number" && value > maximum) return refuse(schema, path, `must be at most ${maximum}`);
  return null;
};

const checkList: Check = (schema, value, path, format) => {
  if (!Array.isArray(value)) return null;
  const { minItems, maxItems, items } = schema;
  if (typeof minItems === "number" && value.length < minItems) return refuse(schema, path, "must not be empty");
  if (typeof maxItems === "number" && value.length > maxItems)
    return refuse(schema, path, `must have at most ${maxItems} entries`);
  if (!isJsonObject(items)) return null;
  return firstOf(value.entries(), ([index, entry]) => formatProblem(items, entry as Json, [...path, index], format));
};

const checkObject: Check = (schema, value, path, format) => {
  if (!isJsonObject(value)) return null;
  const names = Object.keys(value);
  const { required, minProperties } = schema;
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const unknown = names.find((name) => memberSchema(schema, properties, name) === null);
  if (unknown !== undefined) {
    const known = Object.keys(properties);
    return { ...refuse(schema, [...path, unknown], unknown), code: "format.unknown_key", known };
  }
  const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(value, String(name))) : undefined;
  if (missing !== undefined) return { ...refuse(schema, path, String(missing)), code: "format.missing_key" };
  if (typeof minProperties === "number" && names.length < minProperties) {
    return refuse(schema, path, "must not be empty");
  }
  return firstOf(names, (name) => {
    const member = memberSchema(schema, properties, name);
    return isJsonObject(member) ? formatProblem(member, value[name]!, [...path, name], format) : null;
  });
};

/** The schema of a member; `true` if any value is allowed, `null` if the name is not allowed. */
function memberSchema(schema: JsonObject, properties: JsonObject, name: string): Json {
  if (Object.hasOwn(properties, name)) return properties[name]!;
  const patterns = isJsonObject(schema["patternProperties"]) ? schema["patternProperties"] : {};
  const fitting = Object.entries(patterns).find(([pattern]) => new RegExp(pattern, "u").test(name));
  if (fitting !== undefined) return fitting[1];
  const others = schema["additionalProperties"];
  return others === false ? null : (others ?? true);
}

/**
 * Reports the problem of the alternative that the author meant: the one with the value's `kind`, or the one of the
 * value's type. Without either, reports that no alternative fits.
 */
const checkAlternatives: Check = (schema, value, path, format) => {
  const list = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(list)) return null;
  const alternatives = (list as readonly JsonObject[]).map((alternative) => resolved(alternative, format));
  const problems = alternatives.map((alternative) => formatProblem(alternative, value, path, format));
  if (problems.includes(null)) return null;
  const kinds = alternatives.map((alternative) => kindOf(alternative));
  if (kinds.every((kind) => kind !== undefined)) {
    const meant = isJsonObject(value) ? kinds.findIndex((kind) => kind === value["kind"]) : -1;
    if (meant >= 0) return problems[meant]!;
    const problem = refuse(schema, path, `must be of one of these kinds: ${kinds.join(", ")}`);
    return { ...problem, known: kinds };
  }
  const meant = alternatives.findIndex(({ type }) => typeof type === "string" && isOfType(value, type));
  return meant >= 0 ? problems[meant]! : refuse(schema, path, "has a form that is not allowed here");
};

function kindOf(alternative: JsonObject): string | undefined {
  const properties = alternative["properties"];
  const kind = isJsonObject(properties) ? properties["kind"] : undefined;
  return isJsonObject(kind) && typeof kind["const"] === "string" ? kind["const"] : undefined;
}

const checkCondition: Check = (schema, value, path, format) => {
  if (!isJsonObject(schema["if"])) return null;
  const holds = formatProblem(schema["if"], value, path, format) === null;
  const branch = schema[holds ? "then" : "else"];
  return isJsonObject(branch) ? formatProblem(branch, value, path, format) : null;
};

const CHECKS: readonly Check[] = [
  checkType,
  checkValue,
  checkText,
  checkNumber,
  checkList,
  checkObject,
  checkAlternatives,
  checkCondition,
];

const ARTICLE: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

function isOfType(value: Json, type: string): boolean {
  if (type === "object") return isJsonObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function refuse({ description }: JsonObject, path: Path, says: string): FormatProblem {
  const told = typeof description === "string" ? description : undefined;
  return { code: "format.value", path, says, known: [], description: told };
}

function firstOf<Item>(items: Iterable<Item>, check: (item: Item) => FormatProblem | null): FormatProblem | null {
  for (const item of items) {
    const problem = check(item);
    if (problem !== null) return problem;
  }
  return null;
}

/** The schema with what its `$ref` refers to. Its own keywords take precedence. */
function resolved(schema: JsonObject, format: JsonObject): JsonObject {
  if (typeof schema["$ref"] !== "string") return schema;
  const { $ref, ...own } = schema as { readonly $ref: string };
  let found: Json = format;
  for (const step of $ref.split("/").slice(1)) found = (found as JsonObject)[step]!;
  return { ...(found as JsonObject), ...own };
}
