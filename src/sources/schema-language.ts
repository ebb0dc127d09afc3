import type { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createAjv } from "../terms/schema/ajv.ts";
import { patternProblem, repeatedAnchor, sizeProblem } from "../terms/schema/schema-parts.ts";
import { isPlainSchema } from "./plain-schema.ts";
import { stepsOf } from "../terms/json/json-pointer.ts";
import { describeProblem } from "../terms/schema/schema-problem.ts";

/**
 * The location of a problem in a schema, as names from its root, and a message: the rest of a sentence that begins with
 * the location.
 */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly isPattern: boolean;
  readonly message: string;
}

let language: Ajv2020 | undefined;

/**
 * The problem of an author's JSON Schema: its size, an error of the meta-schema, an ambiguous anchor, or a pattern that
 * cannot be matched in linear time; `null` if the schema can be used. The whole process has one validator, created for the first schema that
 * needs it: preparing it takes longer than checking all schemas of a project.
 */
export function schemaProblem(schema: object): SchemaProblem | null {
  const size = sizeProblem(schema);
  if (size !== null) return { path: [], isPattern: false, message: size };
  const wrong = isPlainSchema(schema) ? null : problemByMetaSchema(schema);
  if (wrong !== null) return wrong;
  const anchor = repeatedAnchor(schema);
  if (anchor !== null) return { path: anchor, isPattern: false, message: "must NOT give one $anchor to two schemas" };
  const pattern = patternProblem(schema);
  return pattern === null ? null : { path: pattern.path, isPattern: true, message: pattern.problem };
}

/** The problem that the meta-schema finds in a schema, plain or not. */
export function problemByMetaSchema(schema: object): SchemaProblem | null {
  if (language === undefined) {
    language = createAjv({ addUsedSchema: false });
    addFormats.default(language);
  }
  if (language.validateSchema(schema) === true) return null;
  const { message } = describeProblem(language.errors);
  return { path: stepsOf(language.errors?.[0]?.instancePath ?? ""), isPattern: false, message };
}
