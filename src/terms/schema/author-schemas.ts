import { createBoundedSchemas, type BoundedCheck, type CheckSteps } from "./bounded-schemas.ts";
import { isLargeSchema } from "./schema-parts.ts";
import type { ValueProblem } from "../fault.ts";
import { declaredField } from "./schema-names.ts";
import { describeProblem } from "./schema-problem.ts";

/** `null` if the value is valid, otherwise the first problem. */
export type Validator = (value: unknown, steps?: CheckSteps) => ValueProblem | null;

/** Creates the single validator for all authors' schemas. */
export function createSchemas() {
  const bounded = createBoundedSchemas();

  return {
    /**
     * With `first use`, compiles at the first validation, so that a catalog of sources costs nothing until they are
     * called. A large schema is always compiled now, because compiling it during a call would block others.
     */
    validator(schema: object, when: "now" | "first use" = "now"): Validator {
      let compiled: BoundedCheck | undefined =
        when === "now" || isLargeSchema(schema) ? bounded.compile(schema) : undefined;
      return (value, steps) => {
        compiled ??= bounded.compile(schema);
        if (compiled(value, steps)) return null;
        const problem = describeProblem(compiled.errors);
        return { ...problem, declaredField: declaredField(schema, value, problem.path) };
      };
    },
  };
}

export type Schemas = ReturnType<typeof createSchemas>;
