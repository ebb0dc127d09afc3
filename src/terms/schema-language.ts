import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { SchemaError } from "./schema-problem.ts";

let language: Ajv2020 | undefined;

/**
 * What is wrong with a JSON Schema as such, by the schema of schemas; nothing when it is one. One validator for the whole
 * process, made when it is first asked: making that ready takes longer than all the schemas of a project.
 */
export function schemaErrors(schema: object): readonly SchemaError[] {
  if (language === undefined) {
    language = new Ajv2020({ strict: false, ownProperties: true, logger: false, addUsedSchema: false });
    addFormats.default(language);
  }
  return language.validateSchema(schema) === true ? [] : [...(language.errors ?? [NO_SCHEMA])];
}

const NO_SCHEMA: SchemaError = { keyword: "", instancePath: "", params: {}, message: "is no JSON Schema" };
