import type { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createAjv } from "./ajv.ts";
import { patternProblem } from "./bounded-schemas.ts";
import { stepsOf } from "./json-pointer.ts";
import { describeProblem } from "./schema-problem.ts";

/** Where a schema cannot be used, as names from its root, and why: a sentence that goes on after the name of the place. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly isPattern: boolean;
  readonly message: string;
}

let language: Ajv2020 | undefined;

/**
 * What is wrong with an author's JSON Schema as such, by the schema of schemas, or with one of its patterns, whose cost
 * must have a bound; `null` if it can be used. One validator for the whole process, made when it is first asked: making
 * that ready takes longer than all the schemas of a project.
 */
export function schemaProblem(schema: object): SchemaProblem | null {
  if (language === undefined) {
    language = createAjv({ addUsedSchema: false });
    addFormats.default(language);
  }
  if (language.validateSchema(schema) !== true) {
    const { message } = describeProblem(language.errors);
    return { path: stepsOf(language.errors?.[0]?.instancePath ?? ""), isPattern: false, message };
  }
  const pattern = patternProblem(schema);
  return pattern === null ? null : { path: pattern.path, isPattern: true, message: pattern.problem };
}
