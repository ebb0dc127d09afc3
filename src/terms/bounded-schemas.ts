import { _, nil, str, type Ajv2020, type AnySchemaObject, type ErrorObject, type KeywordCxt } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createAjv } from "./ajv.ts";
import { nearestNumbers } from "./exact-number.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { compilePattern, type Spend } from "./linear-pattern.ts";
import {
  COST,
  costOfCounting,
  costOfMembers,
  countsMembers,
  needsCosts,
  UNITS_PER_STEP,
  visitsMembers,
  withCosts,
} from "./schema-costs.ts";
import { isLargeSchema } from "./schema-parts.ts";

/** Validates a value against an author's schema. */
export interface BoundedCheck {
  /** `steps`: what the validations of one run may still cost together. */
  (value: unknown, steps?: CheckSteps): boolean;
  /** The same for a value without `ExactNumber`s, as returned by `nearestNumbers`. */
  ofNearest(value: unknown, steps?: CheckSteps): boolean;
  /** The errors of the last value. */
  errors: readonly ErrorObject[] | null;
}

export interface BoundedSchemas {
  /** @throws Error for a schema that cannot be compiled, or with a pattern that cannot be matched in linear time */
  compile(schema: object): BoundedCheck;
}

/** The steps that are left of a budget. Each validation takes its cost off. */
export interface CheckSteps {
  left: number;
}

/** The maximum cost of one validation, in steps of about thirty nanoseconds. */
export const CHECK_STEPS_MAX = 1_200_000;
/** The maximum cost of all validations of one run: a run can have a hundred sources. */
export const RUN_CHECK_STEPS_MAX = 2 * CHECK_STEPS_MAX;
/** The longest text for which a format is checked. */
const FORMAT_CHARS_MAX = 16_384;
/** The format `url` takes quadratic time. */
const URL_CHARS_MAX = 4_096;
const URL_PAIRS_PER_STEP = 32;
/** Characters in a step, of formats whose check takes longer than that of others: up to 27 ns for each. */
const SLOW_UNITS_PER_STEP = new Map([
  ["date-time", 1],
  ["iso-date-time", 1],
  ["uri", 2],
  ["uri-reference", 2],
  ["regex", 2],
]);
/** Formats for content, which may be long; checking them costs almost nothing. */
const CONTENT_FORMATS = new Set(["byte", "password", "binary"]);
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
      const members = visitsMembers(parentSchema)
        ? _` + ${cxt.gen.scopeValue("func", { ref: costOfMembers })}(${data})`
        : nil;
      const counted = countsMembers(parentSchema)
        ? _` + ${cxt.gen.scopeValue("func", { ref: costOfCounting })}(${data})`
        : nil;
      cxt.gen.if(_`(${left}.left -= ${schema as number}${members}${counted}) < 0`, () => cxt.gen.code(_`${thrown}()`));
    },
  });

  return {
    compile(schema) {
      const isLarge = isLargeSchema(schema);
      const validate = ajv.compile(needsCosts(schema) ? (withCosts(schema as JsonObject) as AnySchemaObject) : schema);
      const ofNearest = (value: unknown, steps: CheckSteps = { left: CHECK_STEPS_MAX }): boolean => {
        const most = Math.min(CHECK_STEPS_MAX, steps.left);
        budget.left = most;
        try {
          const fits = validate(value);
          check.errors = validate.errors ?? null;
          return fits;
        } catch (thrown) {
          // A schema with endless recursion overflows the stack before its steps are used up.
          if (!(thrown instanceof TooCostly || thrown instanceof RangeError)) throw thrown;
          check.errors = TOO_COSTLY;
          return false;
        } finally {
          steps.left -= most - Math.max(0, budget.left);
        }
      };
      const check: BoundedCheck = Object.assign(
        (value: unknown, steps?: CheckSteps) => ofNearest(nearestNumbers(value), steps),
        { ofNearest, errors: null },
      );
      // The engine compiles the code of a schema when it runs for the first time.
      if (isLarge) ofNearest(null);
      return check;
    },
  };
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
    const unitsPerStep = SLOW_UNITS_PER_STEP.get(name) ?? UNITS_PER_STEP;
    const [charactersMax, stepsOf] =
      name === "url"
        ? [URL_CHARS_MAX, (length: number) => length ** 2 / URL_PAIRS_PER_STEP]
        : [FORMAT_CHARS_MAX, (length: number) => length / unitsPerStep];
    const bounded = (text: string) => {
      if (text.length > charactersMax) return false;
      spend(Math.ceil(stepsOf(text.length)));
      return test(text);
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
      const [scalars, texts] = [new Set<Json>(), new Set<string>()];
      for (const entry of entries) {
        if (typeof entry === "object" && entry !== null) texts.add(canonicalText(entry, spend));
        else {
          spend(COST_OF_ENTRY + (typeof entry === "string" ? entry.length / UNITS_PER_STEP : 0));
          scalars.add(entry);
        }
      }
      return scalars.size + texts.size === entries.length;
    },
  });
}

/** Of an entry that is compared as it is, and of what is written for those that are not, in steps. */
const COST_OF_ENTRY = 8;
const COST_OF_SCALAR = 20;
const COST_OF_CONTAINER = 64;

/** Equal texts for equal values, whatever the order of members. */
function canonicalText(value: Json, spend: Spend): string {
  if (typeof value !== "object" || value === null) {
    spend(COST_OF_SCALAR + (typeof value === "string" ? value.length / UNITS_PER_STEP : 0));
    return value === 0 ? "0" : JSON.stringify(value);
  }
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    spend(COST_OF_CONTAINER + COST_OF_SCALAR * names.length);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name]!, spend)}`).join()}}`;
  }
  spend(COST_OF_CONTAINER);
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
