import assert from "node:assert/strict";
import { test } from "node:test";
import { createBoundedSchemas } from "./author-schemas.ts";
import { describeProblem } from "./schema-problem.ts";

const schemas = createBoundedSchemas();

function said(schema: object, value: unknown): string {
  const fits = schemas.compile(schema);
  assert.equal(fits(value), false, JSON.stringify(schema));
  return describeProblem(fits.errors).message;
}

test("every limit has a message of our own", () => {
  const told: readonly (readonly [object, unknown, string])[] = [
    [{ minLength: 1 }, "", "must not be empty"],
    [{ minLength: 2 }, "a", "must have at least 2 characters"],
    [{ maxLength: 1 }, "ab", "must have at most 1 character"],
    [{ minItems: 1 }, [], "must not be empty"],
    [{ minItems: 2 }, [1], "must have at least 2 entries"],
    [{ maxItems: 1 }, [1, 2], "must have at most 1 entry"],
    [{ minProperties: 1 }, {}, "must have at least 1 field"],
    [{ maxProperties: 0 }, { a: 1 }, "must have at most 0 fields"],
    [{ minimum: 0 }, -1, "must be at least 0"],
    [{ maximum: 9 }, 10, "must be at most 9"],
    [{ exclusiveMinimum: 0 }, 0, "must be more than 0"],
    [{ exclusiveMaximum: 9 }, 9, "must be less than 9"],
    [{ multipleOf: 2 }, 3, "must be a multiple of 2"],
    [{ uniqueItems: true }, [1, 1], "must not hold the same entry twice"],
    [{ not: {} }, 1, "has a form that it must not have"],
    [{ oneOf: [{}, {}] }, 1, "has more than one of the forms that it may have"],
  ];
  for (const [schema, value, words] of told) assert.equal(said(schema, value), words);
});

test("of several forms that each lack a field, no field alone is said to be required", () => {
  const asks = (...required: string[]) => ({ type: "object", required });
  const problemOf = (schema: object, value: unknown) => {
    const fits = schemas.compile(schema);
    assert.equal(fits(value), false);
    return describeProblem(fits.errors);
  };
  for (const one of ["anyOf", "oneOf"]) {
    assert.deepEqual(problemOf({ [one]: [asks("email"), asks("phone", "name")] }, {}), {
      path: "",
      message: "needs email or phone",
    });
    const below = { type: "object", properties: { person: { [one]: [asks("email"), asks("phone")] } } };
    assert.deepEqual(problemOf(below, { person: {} }), { path: "/person", message: "needs email or phone" });
    // A field that all forms need is reported as required, and a problem of one form's value is reported as such.
    assert.deepEqual(problemOf({ [one]: [asks("id", "email"), asks("id", "phone")] }, {}), {
      path: "/id",
      message: "is required",
    });
    const typed = { [one]: [{ type: "object", properties: { email: { type: "string" } } }, asks("phone")] };
    assert.deepEqual(problemOf(typed, { email: 1 }), { path: "/email", message: "must be a string" });
  }
});
