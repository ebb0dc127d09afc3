import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FieldProblem } from "../terms/fault.ts";

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
  });
  addFormats.default(ajv);

  return {
    /** Says what is wrong with a schema itself, or `null`. */
    schemaProblem(schema: object): string | null {
      if (ajv.validateSchema(schema) === true) return null;
      const error = ajv.errors?.[0];
      return error === undefined ? "is no JSON Schema" : `${error.instancePath || "/"} ${error.message}`;
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

/** The first error in words that name the place and repeat no value. */
export function describeProblem(errors: readonly ErrorObject[] | null | undefined): FieldProblem {
  // A failed anyOf reports its branches first; the branch that names a missing field says most.
  const error = errors?.[0];
  if (error === undefined) return { path: "", message: "is not valid" };
  return { path: pointer(error), message: say(error) };
}

export function pointer(error: ErrorObject): string {
  const params = error.params as { missingProperty?: string; additionalProperty?: string; propertyName?: string };
  const last = params.missingProperty ?? params.additionalProperty ?? params.propertyName;
  return last === undefined ? error.instancePath : `${error.instancePath}/${escapePointer(last)}`;
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A sentence per keyword. Ajv's own are used where they can only speak of the schema. */
export function say(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
    case "dependentRequired":
      return "is required";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not a known field";
    case "enum":
      return `must be one of ${(params["allowedValues"] as unknown[]).map(String).join(", ")}`;
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`;
    case "type":
      return `must be ${typeWords(params["type"])}`;
    case "format":
      return `must be in the format ${String(params["format"])}`;
    case "pattern":
      return "does not have the required form";
    default:
      return error.message ?? "is not valid";
  }
}

function typeWords(type: unknown): string {
  const types = Array.isArray(type) ? type.map(String) : [String(type)];
  return types.map((name) => (name === "null" ? "null" : `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`)).join(" or ");
}
