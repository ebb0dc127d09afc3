import { createBoundedSchemas, type BoundedCheck } from "../../../terms/bounded-schemas.ts";
import { schemaProblem } from "../../../terms/schema-language.ts";
import type { Place } from "./read-document.ts";

/** Compiles only what has been checked. */
const bounded = createBoundedSchemas();

/** Refuses what is no JSON Schema 2020-12, and patterns whose cost has no bound; unknown keywords are annotations. @throws DeclarationError */
export function checkAuthorSchema(schema: object, place: Place): void {
  const wrong = schemaProblem(schema);
  if (wrong === null) return;
  const { path, isPattern, message } = wrong;
  const problem = isPattern ? `a pattern cannot be used: ${message}` : `this is no JSON Schema: it ${message}`;
  place.in(...path).refuse("schema.invalid", problem);
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
