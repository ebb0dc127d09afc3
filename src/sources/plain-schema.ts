import { isJsonObject } from "../terms/json/json.ts";

type Check = (value: unknown) => boolean;

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isAnything: Check = () => true;
const isSchemas: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isPlainSchema);
const isList: Check = (value) => Array.isArray(value);

function isListOf(values: unknown, isOne: Check): boolean {
  return Array.isArray(values) && values.every(isOne) && new Set(values).size === values.length;
}

function isPattern(value: unknown): boolean {
  try {
    return isString(value) && new RegExp(value as string, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** The meta-schema's rules for the values of common keywords. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  type: (value) => TYPES.has(value) || (isListOf(value, (one) => TYPES.has(one)) && (value as unknown[]).length > 0),
  properties: (value) => isJsonObject(value) && Object.values(value).every(isPlainSchema),
  required: (value) => isListOf(value, isString),
  additionalProperties: isPlainSchema,
  items: isPlainSchema,
  allOf: isSchemas,
  anyOf: isSchemas,
  oneOf: isSchemas,
  not: isPlainSchema,
  enum: isList,
  const: isAnything,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: isBoolean,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  format: isString,
  pattern: isPattern,
  title: isString,
  description: isString,
  default: isAnything,
  examples: isList,
};

/**
 * Whether a schema consists of common keywords with valid values only, and is therefore correct. Otherwise only the
 * meta-schema can decide. Nearly all schemas are plain, and preparing the meta-schema takes a tenth of a start.
 */
export function isPlainSchema(schema: unknown): boolean {
  if (typeof schema === "boolean") return true;
  if (!isJsonObject(schema)) return false;
  return Object.keys(schema).every((name) => Object.hasOwn(KEYWORDS, name) && KEYWORDS[name]!(schema[name]));
}
