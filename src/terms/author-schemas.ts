import { createBoundedSchemas, type BoundedCheck, type CheckSteps } from "./bounded-schemas.ts";
import { isLargeSchema } from "./schema-parts.ts";
import type { ValueProblem } from "./fault.ts";
import { declaredField } from "./schema-names.ts";
import { describeProblem } from "./schema-problem.ts";

/** `null` if the value is valid, otherwise the first problem. */
export type Validator = (value: unknown, steps?: CheckSteps) => ValueProblem | null;

/** One validator for all schemas of authors. */
export function createSchemas() {
  const bounded = createBoundedSchemas();

  return {
    /**
     * Compiles at the first use if told so, so that a catalog of sources costs nothing until they are called. A large
     * schema is compiled now in any case, because others would wait for it in the middle of their calls.
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
