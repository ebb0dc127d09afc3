import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { schemaErrors } from "../../terms/schema-language.ts";
import type { Place } from "./read-document.ts";

/** Keeps no author's schema, and compiles only what has been checked. */
const ajv = new Ajv2020({
  strict: false,
  ownProperties: true,
  logger: false,
  allErrors: false,
  addUsedSchema: false,
  validateSchema: false,
});
addFormats.default(ajv);

/** Refuses what is no JSON Schema 2020-12; unknown keywords are annotations. @throws DeclarationError */
export function checkAuthorSchema(schema: object, place: Place): void {
  const [error] = schemaErrors(schema);
  if (error === undefined) return;
  const steps = error.instancePath.split("/").slice(1);
  place.in(...steps).refuse("schema.invalid", `this is no JSON Schema: it ${error.message ?? "is not valid"}`);
}

/**
 * Compiles an author's schema when it is first needed, since a catalog of sources is loaded whole and used in part.
 * @throws DeclarationError for what is no schema
 */
export function compileWhenNeeded(schema: object, place: Place): () => ValidateFunction {
  checkAuthorSchema(schema, place);
  let compiled: ValidateFunction | undefined;
  return () => (compiled ??= ajv.compile(schema));
}
