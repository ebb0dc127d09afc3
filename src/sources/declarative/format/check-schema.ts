import { createBoundedSchemas, patternProblem, type BoundedCheck } from "../../../terms/bounded-schemas.ts";
import { schemaErrors } from "../../../terms/schema-language.ts";
import type { Place } from "./read-document.ts";
import { stepsOf } from "../../../terms/json-pointer.ts";

/** Compiles only what has been checked. */
const bounded = createBoundedSchemas();

/** Refuses what is no JSON Schema 2020-12, and patterns whose cost has no bound; unknown keywords are annotations. @throws DeclarationError */
export function checkAuthorSchema(schema: object, place: Place): void {
  const [error] = schemaErrors(schema);
  if (error !== undefined) {
    place
      .in(...stepsOf(error.instancePath))
      .refuse("schema.invalid", `this is no JSON Schema: it ${error.message ?? "is not valid"}`);
  }
  const pattern = patternProblem(schema);
  if (pattern !== null)
    place.in(...pattern.path).refuse("schema.invalid", `a pattern cannot be used: ${pattern.problem}`);
}

/**
 * Compiles an author's schema when it is first needed, since a catalog of sources is loaded whole and used in part.
 * @throws DeclarationError for what is no schema
 */
export function compileWhenNeeded(schema: object, place: Place): () => BoundedCheck {
  checkAuthorSchema(schema, place);
  let compiled: BoundedCheck | undefined;
  return () => (compiled ??= bounded.compile(schema));
}
