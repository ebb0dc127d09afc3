import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FieldProblem } from "../terms/fault.ts";
import { schemaErrors } from "../terms/schema-language.ts";
import { describeProblem } from "../terms/schema-problem.ts";

/** `null` if the value is valid, else the first thing wrong with it. */
export type Validator = (value: unknown) => FieldProblem | null;

/**
 * One Ajv for all schemas of authors. Nothing is coerced, removed or defaulted; unknown keywords and formats are
 * annotations; `toString` is not found on a prototype.
 */
export function createSchemas() {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    logger: false,
    allErrors: false,
    addUsedSchema: false,
    validateSchema: false,
  });
  addFormats.default(ajv);

  return {
    /** Says what is wrong with a schema itself, or `null`. */
    schemaProblem(schema: object): string | null {
      const [error] = schemaErrors(schema);
      return error === undefined ? null : `${error.instancePath || "/"} ${error.message}`;
    },

    /** Compiles at the first use unless it is told to now: a catalog of sources costs nothing until it is called. */
    validator(schema: object, when: "now" | "first use" = "now"): Validator {
      let compiled: ValidateFunction | undefined = when === "now" ? ajv.compile(schema) : undefined;
      return (value) => {
        compiled ??= ajv.compile(schema);
        return compiled(value) === true ? null : describeProblem(compiled.errors);
      };
    },
  };
}

export type Schemas = ReturnType<typeof createSchemas>;
