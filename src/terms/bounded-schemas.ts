import { _, nil, str, type Ajv2020, type AnySchemaObject, type ErrorObject, type KeywordCxt } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createAjv } from "./ajv.ts";
import { nearestNumbers } from "./exact-number.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { compilePattern, type Spend } from "./linear-pattern.ts";

/** Validates a value against an author's schema. */
export interface BoundedCheck {
  (value: unknown): boolean;
  /** The same for a value without `ExactNumber`s, as returned by `nearestNumbers`. */
  ofNearest(value: unknown): boolean;
  /** The errors of the last value. */
  errors: readonly ErrorObject[] | null;
}

export interface BoundedSchemas {
  /** @throws Error for a schema that cannot be compiled, or with a pattern that cannot be matched in linear time */
  compile(schema: object): BoundedCheck;
}

/** The maximum cost of one validation, in steps of about thirty nanoseconds. */
export const CHECK_STEPS_MAX = 1_200_000;
/** The longest text for which a format is checked. URLs have a lower limit because their check takes quadratic time. */
const FORMAT_CHARS_MAX = 16_384;
const URL_CHARS_MAX = 4_096;
/** Formats for content, which may be long; checking them costs almost nothing. */
const CONTENT_FORMATS = new Set(["byte", "password", "binary"]);
/** The number of characters, members or names that are compared in the time of one step. */
const UNITS_PER_STEP = 16;

/** A keyword added to schemas: the cost of each use of that subschema. */
const COST = "datarun:cost";

class TooCostly extends Error {}

/**
 * A validator for schemas of authors, applied to values of callers and vendors. For any schema and value, a validation
 * costs at most `CHECK_STEPS_MAX`: patterns are matched in linear time, texts with a format have a maximum length,
 * duplicates are found by a canonical text, and subschemas that a value or a reference can apply repeatedly are counted
 * as they are applied. A value that would cost more is invalid. Nothing is coerced, removed or defaulted; a number that
 * a double cannot hold exactly is validated as the nearest double; unknown keywords and formats are annotations;
 * `toString` is not found on a prototype.
 */
export function createBoundedSchemas(): BoundedSchemas {
  const budget = { left: 0 };
  const spend: Spend = (steps) => {
    budget.left -= steps;
    if (budget.left < 0) throw new TooCostly();
  };
  const ajv = createAjv({
    allErrors: false,
    addUsedSchema: false,
    validateSchema: false,
    code: {
      regExp: Object.assign(
        (source: string) => {
          const pattern = compilePattern(source);
          // The validator distinguishes patterns by their `toString`.
          return { test: (text: string) => pattern.test(text, spend), toString: () => source };
        },
        { code: "new RegExp" },
      ),
    },
  });
  addFormats.default(ajv);
  boundFormats(ajv, spend);
  replaceUniqueItems(ajv, spend);
  replaceLengths(ajv);
  ajv.addKeyword({
    keyword: COST,
    before: "$ref",
    schemaType: "number",
    code(cxt: KeywordCxt) {
      const left = cxt.gen.scopeValue("obj", { ref: budget });
      const thrown = cxt.gen.scopeValue("func", { ref: throwTooCostly });
      const { parentSchema, data, schema } = cxt;
      const named = WALKS_MEMBERS.some(
        (keyword) => parentSchema[keyword] !== undefined && !isPricedByName(keyword, parentSchema[keyword]),
      );
      const members = named ? _` + ${cxt.gen.scopeValue("func", { ref: costOfMembers })}(${data})` : nil;
      const counts = COUNTS_MEMBERS.some((keyword) => parentSchema[keyword] !== undefined);
      const counted = counts ? _` + ${cxt.gen.scopeValue("func", { ref: costOfCounting })}(${data})` : nil;
      cxt.gen.if(_`(${left}.left -= ${schema as number}${members}${counted}) < 0`, () => cxt.gen.code(_`${thrown}()`));
    },
  });

  return {
    compile(schema) {
      const isLarge = isLargeSchema(schema);
      const validate = ajv.compile(needsCosts(schema) ? (withCosts(schema as JsonObject) as AnySchemaObject) : schema);
      const ofNearest = (value: unknown): boolean => {
        budget.left = CHECK_STEPS_MAX;
        try {
          const fits = validate(value);
          check.errors = validate.errors ?? null;
          return fits;
        } catch (thrown) {
          // A schema with endless recursion overflows the stack before its steps are used up.
          if (!(thrown instanceof TooCostly || thrown instanceof RangeError)) throw thrown;
          check.errors = TOO_COSTLY;
          return false;
        }
      };
      const check: BoundedCheck = Object.assign((value: unknown) => ofNearest(nearestNumbers(value)), {
        ofNearest,
        errors: null,
      });
      // The engine compiles the code of a schema when it runs for the first time.
      if (isLarge) ofNearest(null);
      return check;
    },
  };
}

/** Compiling a schema of this many parts takes about 25 milliseconds; smaller ones would make every start longer. */
const PARTS_MANY = 150;

/** Whether compiling it at the first use would block other work noticeably. */
export function isLargeSchema(schema: object): boolean {
  return countParts(schema as JsonObject, PARTS_MANY) >= PARTS_MANY;
}

/** The code of larger schemas takes seconds to compile, and at some size cannot be run at all. */
const PARTS_MAX = 2_000;

/** Why a schema cannot be compiled in reasonable time, as the rest of a sentence that begins with it. */
export function sizeProblem(schema: object): string | null {
  return countParts(schema as JsonObject, PARTS_MAX + 1) > PARTS_MAX
    ? `must NOT have more than ${PARTS_MAX} schemas in it`
    : null;
}

/** At most `max`. */
function countParts(schema: JsonObject, max: number): number {
  let count = 1;
  for (const [, part] of partsOf(schema)) {
    if (count >= max) break;
    count += countParts(part, max - count);
  }
  return count;
}

const TOO_COSTLY: readonly ErrorObject[] = [
  { keyword: COST, instancePath: "", schemaPath: "#", params: {}, message: "is too large to be checked" },
];

function throwTooCostly(): never {
  throw new TooCostly();
}

function boundFormats(ajv: Ajv2020, spend: Spend): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (format === undefined || typeof format === "boolean" || CONTENT_FORMATS.has(name)) continue;
    const parts = format instanceof RegExp || typeof format === "function" ? { validate: format } : format;
    const { validate } = parts;
    if (("type" in parts && parts.type === "number") || typeof validate === "string") continue;
    const test =
      validate instanceof RegExp ? (text: string) => validate.test(text) : (validate as (text: string) => boolean);
    const charsMax = name === "url" ? URL_CHARS_MAX : FORMAT_CHARS_MAX;
    const bounded = (text: string) => {
      spend(Math.ceil(text.length / UNITS_PER_STEP));
      return text.length <= charsMax && test(text);
    };
    ajv.addFormat(name, { ...parts, validate: bounded } as Parameters<Ajv2020["addFormat"]>[1]);
  }
}

/** The validator's own keyword compares every pair of entries. */
function replaceUniqueItems(ajv: Ajv2020, spend: Spend): void {
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not have duplicate items" },
    validate: (wanted: boolean, entries: readonly Json[]) => {
      if (!wanted) return true;
      const seen = new Set<string>();
      for (const entry of entries) seen.add(canonicalText(entry, spend));
      return seen.size === entries.length;
    },
  });
}

/** Equal texts for equal values, whatever the order of members. */
function canonicalText(value: Json, spend: Spend): string {
  if (typeof value !== "object" || value === null) {
    spend(typeof value === "string" ? 2 + value.length / UNITS_PER_STEP : 2);
    return value === 0 ? "0" : JSON.stringify(value);
  }
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    spend(8 + 8 * names.length);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name]!, spend)}`).join()}}`;
  }
  spend(8);
  return `[${(value as readonly Json[]).map((entry) => canonicalText(entry, spend)).join()}]`;
}

/** The validator's own keywords count all characters, even of a text that is far longer or shorter than the limit. */
function replaceLengths(ajv: Ajv2020): void {
  const lengths = {
    maxLength: {
      words: "more",
      breaks: (text: string, limit: number) => limit < text.length && !isWithin(text, limit),
    },
    minLength: { words: "fewer", breaks: (text: string, limit: number) => limit > 0 && isWithin(text, limit - 1) },
  };
  for (const [keyword, { words, breaks }] of Object.entries(lengths)) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: "string",
      schemaType: "number",
      error: {
        message: (cxt) => str`must NOT have ${words} than ${cxt.schemaCode} characters`,
        params: (cxt) => _`{limit: ${cxt.schemaCode}}`,
      },
      code(cxt: KeywordCxt) {
        const broken = cxt.gen.scopeValue("func", { ref: breaks });
        cxt.fail(_`${broken}(${cxt.data}, ${cxt.schemaCode})`);
      },
    });
  }
}

/** Whether a text has at most this many characters; each takes one or two UTF-16 units. */
function isWithin(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return true;
  if (text.length > 2 * charactersMax) return false;
  let characters = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.codePointAt(at)! > 0xffff) at += 1;
    characters += 1;
  }
  return characters <= charactersMax;
}

/** Keywords that visit all names of an object. */
const WALKS_MEMBERS = "additionalProperties patternProperties propertyNames unevaluatedProperties".split(" ");

/**
 * Those whose subschema is applied to every name: it carries the cost of the name, so that names are not visited twice.
 */
const BY_NAME: ReadonlySet<string> = new Set(["additionalProperties", "propertyNames"]);
const COST_OF_NAME = 8;

function isPricedByName(keyword: string, schema: unknown): schema is JsonObject {
  return BY_NAME.has(keyword) && isJsonObject(schema);
}

/** Keywords for which all names of an object are listed, only to count them. */
const COUNTS_MEMBERS = ["minProperties", "maxProperties"];
/** The engine lists the names of an object of this size without looking at each. */
const EASY_MEMBERS_MAX = 64;

function costOfCounting(value: unknown): number {
  if (!isJsonObject(value)) return 0;
  const count = Object.keys(value).length;
  return count <= EASY_MEMBERS_MAX ? 2 : COST_OF_NAME * count;
}

function costOfMembers(value: unknown): number {
  return isJsonObject(value) ? COST_OF_NAME * Object.keys(value).length : 0;
}

/** Keywords whose subschema is applied as often as the value has parts, or as references lead to it. */
const REPEATING =
  "$ref $dynamicRef $recursiveRef items prefixItems contains additionalProperties patternProperties propertyNames unevaluatedItems unevaluatedProperties".split(
    " ",
  );
/** Keywords whose subschemas often do not fit, for which a report is made each time. */
const OFTEN_UNFIT: ReadonlySet<string> = new Set(["anyOf", "oneOf", "not", "if", "contains"]);
const COST_OF_REPORT = 6;
const ONE_SCHEMA =
  "items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties if then else not additionalItems contentSchema".split(
    " ",
  );
const MANY_SCHEMAS = "allOf anyOf oneOf prefixItems items".split(" ");
const NAMED_SCHEMAS = "properties patternProperties dependentSchemas $defs definitions".split(" ");

/** Whether the cost of a validation depends on the value. If not, as for most schemas of inputs, nothing is counted. */
function needsCosts(schema: object): boolean {
  const text = JSON.stringify(schema);
  return REPEATING.some((keyword) => text.includes(`"${keyword}":`)) || text.length > SIMPLE_CHARS_MAX;
}

const SIMPLE_CHARS_MAX = 50_000;

/** The same schema with the cost of each subschema added. `more`: an additional cost of each use. */
function withCosts(schema: JsonObject, more = 0): JsonObject {
  const priced: Record<string, unknown> = { ...schema };
  for (const name of ONE_SCHEMA) {
    const part = schema[name];
    if (isJsonObject(part))
      priced[name] = withCosts(part, isPricedByName(name, part) ? COST_OF_NAME : costOfReport(name));
  }
  for (const name of MANY_SCHEMAS) {
    const list = schema[name];
    if (Array.isArray(list))
      priced[name] = list.map((part) => (isJsonObject(part) ? withCosts(part, costOfReport(name)) : part));
  }
  for (const name of NAMED_SCHEMAS) {
    const named = schema[name];
    if (!isJsonObject(named)) continue;
    priced[name] = Object.fromEntries(
      Object.entries(named).map(([key, part]) => [key, isJsonObject(part) ? withCosts(part) : part]),
    );
  }
  priced[COST] = 1 + more + Math.ceil(comparedIn(schema) / UNITS_PER_STEP);
  return priced as JsonObject;
}

function costOfReport(keyword: string): number {
  return OFTEN_UNFIT.has(keyword) ? COST_OF_REPORT : 0;
}

/** The location of a pattern that cannot be used, and the reason; `null` if there is none. */
export function patternProblem(schema: object): { readonly path: readonly string[]; readonly problem: string } | null {
  return findPatternProblem(schema as JsonObject, []);
}

function findPatternProblem(schema: JsonObject, path: readonly string[]): ReturnType<typeof patternProblem> {
  const patterns: [string, readonly string[]][] = [];
  if (typeof schema["pattern"] === "string") patterns.push([schema["pattern"], [...path, "pattern"]]);
  const named = schema["patternProperties"];
  if (isJsonObject(named))
    for (const name of Object.keys(named)) patterns.push([name, [...path, "patternProperties", name]]);
  for (const [pattern, at] of patterns) {
    try {
      compilePattern(pattern);
    } catch (error) {
      return { path: at, problem: (error as Error).message };
    }
  }
  for (const [below, part] of partsOf(schema)) {
    const found = findPatternProblem(part, [...path, ...below]);
    if (found !== null) return found;
  }
  return null;
}

/** The direct subschemas of a schema, with their paths. */
function partsOf(schema: JsonObject): readonly (readonly [readonly string[], JsonObject])[] {
  const parts: [readonly string[], unknown][] = ONE_SCHEMA.map((name) => [[name], schema[name]]);
  for (const name of MANY_SCHEMAS) {
    const list = schema[name];
    if (Array.isArray(list)) parts.push(...list.map((part, at): [string[], unknown] => [[name, String(at)], part]));
  }
  for (const name of NAMED_SCHEMAS) {
    const named = schema[name];
    if (isJsonObject(named))
      parts.push(...Object.entries(named).map(([key, part]): [string[], unknown] => [[name, key], part]));
  }
  return parts.filter((entry): entry is [readonly string[], JsonObject] => isJsonObject(entry[1]));
}

/** How many names and allowed values this subschema compares with a value. */
function comparedIn(schema: JsonObject): number {
  let count = 0;
  for (const name of ["enum", "const", "required", "dependentRequired"]) {
    if (schema[name] !== undefined) count += costOfConstants(JSON.stringify(schema[name]));
  }
  if (isJsonObject(schema["properties"])) count += Object.keys(schema["properties"]).length;
  return count;
}

/** Objects and lists are compared member by member, each in a separate function call. */
function costOfConstants(json: string): number {
  return /[[{]/.test(json.slice(1)) ? 2 * json.length : json.length / 8;
}
