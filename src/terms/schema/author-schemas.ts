import { _, nil, str, type Ajv2020, type AnySchemaObject, type ErrorObject, type KeywordCxt } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ValueProblem } from "../fault.ts";
import { createAjv } from "./ajv.ts";
import { nearestNumbers } from "../json/exact-number.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { compilePattern, type SpendSteps } from "./linear-pattern.ts";
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
import { declaredField } from "./schema-names.ts";
import { describeProblem } from "./schema-problem.ts";

/** `null` if the value is valid, otherwise the first problem. */
export type Validator = (value: unknown, steps?: CheckSteps) => ValueProblem | null;

/** Creates the single validator for all authors' schemas. */
export function createSchemas() {
  const bounded = createBoundedSchemas();

  return {
    /**
     * With `first use`, compiles at the first validation, so that a catalog of sources costs nothing until they are
     * called. A large schema is always compiled now, because compiling it during a call would block others.
     */
    validator(schema: object, when: "now" | "first use" = "now"): Validator {
      let compiled: BoundedCheck | undefined =
        when === "now" || isLargeSchema(schema) ? bounded.compile(schema) : undefined;
      return (value, steps) => {
        compiled ??= bounded.compile(schema);
        if (compiled(value, steps)) return null;
        const problem = describeProblem(compiled.errors);
        return { ...problem, declaredField: declaredField(schema, value, problem.path) };
      };
    },
  };
}

export type Schemas = ReturnType<typeof createSchemas>;

/** Validates a value against an author's schema. */
export interface BoundedCheck {
  /** `steps`: the steps that the validations of one run may still take together. */
  (value: unknown, steps?: CheckSteps): boolean;
  /** Validates a value without `ExactNumber`s, as returned by `nearestNumbers`. */
  ofNearest(value: unknown, steps?: CheckSteps): boolean;
  /** The errors of the last validation. */
  errors: readonly ErrorObject[] | null;
}

export interface BoundedSchemas {
  /** @throws Error for a schema that cannot be compiled, or with a pattern that cannot be matched in linear time */
  compile(schema: object): BoundedCheck;
}

/** The remaining steps of a budget. Each validation subtracts its cost. */
export interface CheckSteps {
  left: number;
}

/** Limit for the cost of one validation, in steps of about 30 ns. */
export const CHECK_STEPS_MAX = 1_200_000;
/** Limit for the cost of all validations of one run: a run can have a hundred sources. */
export const RUN_CHECK_STEPS_MAX = 2 * CHECK_STEPS_MAX;
/** Limit for a text whose format is checked. */
const FORMAT_CHARS_MAX = 16_384;
/** Limit for the format `url`, whose check takes quadratic time. */
const URL_CHARS_MAX = 4_096;
const URL_PAIRS_PER_STEP = 32;
/** Characters per step for formats with a slow check, which takes up to 27 ns per character. */
const SLOW_UNITS_PER_STEP = new Map([
  ["date-time", 1],
  ["iso-date-time", 1],
  ["uri", 2],
  ["uri-reference", 2],
  ["regex", 2],
]);
/** Formats for content, which may be long. Checking them costs almost nothing. */
const CONTENT_FORMATS = new Set(["byte", "password", "binary"]);
class TooCostly extends Error {}

/**
 * A validator for authors' schemas, applied to values of callers and vendors. For any schema and value, a validation
 * costs at most `CHECK_STEPS_MAX`: patterns are matched in linear time, texts with a format have a maximum length,
 * duplicates are found by a canonical text, and subschemas that a value or a reference can apply repeatedly are counted
 * as they are applied. A value that would cost more is invalid. Nothing is coerced, removed or defaulted. A number that
 * a double cannot represent is validated as the nearest double. Unknown keywords and formats are annotations. Inherited
 * names such as `toString` are ignored.
 */
export function createBoundedSchemas(): BoundedSchemas {
  const budget = { left: 0 };
  const spend: SpendSteps = (steps) => {
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
          // A schema with endless recursion overflows the stack before it has used up its steps.
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
      // The engine compiles the generated code when it first runs.
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

function boundFormats(ajv: Ajv2020, spend: SpendSteps): void {
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

/** Replaces the validator's own keyword, which compares every pair of entries. */
function replaceUniqueItems(ajv: Ajv2020, spend: SpendSteps): void {
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

/** Steps per entry that is compared directly, and per scalar and container that is written as canonical text. */
const COST_OF_ENTRY = 8;
const COST_OF_SCALAR = 20;
const COST_OF_CONTAINER = 64;

/** Equal texts for equal values, independent of the order of members. */
function canonicalText(value: Json, spend: SpendSteps): string {
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

/**
 * Replaces the validator's own keywords, which count all characters even of a text far longer or shorter than the
 * limit.
 */
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

/** Whether a text has at most `charactersMax` characters, of one or two UTF-16 units each. */
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
