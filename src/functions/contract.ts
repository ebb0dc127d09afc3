import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FieldProblem } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import { schemaErrors } from "../terms/schema-language.ts";
import { describeProblem } from "../terms/schema-problem.ts";

export type Check = (value: JsonObject) => FieldProblem | null;

/** Compiles a function's own schema. @throws Error that says what is wrong with the schema */
export function compileContract(schema: object | undefined): Check {
  if (schema === undefined) return () => null;
  const wrong = schemaErrors(schema).map(({ instancePath, message }) => `data${instancePath} ${message}`);
  if (wrong.length > 0) throw new Error(`schema is invalid: ${wrong.join(", ")}`);
  // A validator of its own for each: two functions may use the same `$id`.
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    allErrors: false,
    logger: false,
    validateSchema: false,
  });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) === true ? null : describeProblem(validate.errors));
}
