import type { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createAjv } from "../terms/ajv.ts";
import { patternProblem, sizeProblem } from "../terms/schema-parts.ts";
import { isPlainSchema } from "./plain-schema.ts";
import { stepsOf } from "../terms/json-pointer.ts";
import { describeProblem } from "../terms/schema-problem.ts";

/**
 * Where a schema cannot be used, as names from its root, and why: the rest of a sentence that begins with the location.
 */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly isPattern: boolean;
  readonly message: string;
}

let language: Ajv2020 | undefined;

/**
 * The problem in an author's JSON Schema: its size, what the meta-schema finds, or one of its patterns, which must be
 * matchable in linear time; `null` if the schema can be used. One validator for the whole process, created for the first
 * schema that needs it: preparing it takes longer than checking all schemas of a project.
 */
export function schemaProblem(schema: object): SchemaProblem | null {
  const size = sizeProblem(schema);
  if (size !== null) return { path: [], isPattern: false, message: size };
  const wrong = isPlainSchema(schema) ? null : problemByMetaSchema(schema);
  if (wrong !== null) return wrong;
  const pattern = patternProblem(schema);
  return pattern === null ? null : { path: pattern.path, isPattern: true, message: pattern.problem };
}

/** What the meta-schema says of a schema, plain or not. */
export function problemByMetaSchema(schema: object): SchemaProblem | null {
  if (language === undefined) {
    language = createAjv({ addUsedSchema: false });
    addFormats.default(language);
  }
  if (language.validateSchema(schema) === true) return null;
  const { message } = describeProblem(language.errors);
  return { path: stepsOf(language.errors?.[0]?.instancePath ?? ""), isPattern: false, message };
}
