import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFilter } from "./runnable.ts";
import { declaredNames } from "../terms/schema/schema-names.ts";

interface Sample {
  readonly schema: object;
  readonly names: readonly string[];
}

const name = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "a/b", "a~b", "$ref", "properties"),
);

/** Schemas together with the names that they declare, known by construction. */
function sampleOf(depth: number): fc.Arbitrary<Sample> {
  const branches = fc.array(fc.tuple(fc.constantFrom(...KEYWORDS), depth === 0 ? LEAF : sampleOf(depth - 1)), {
    maxLength: depth === 0 ? 0 : 3,
  });
  return fc.record({ own: names(3), hidden: names(2), branches }).map(({ own, hidden, branches }) => {
    const schema: Record<string, unknown> = { type: "object" };
    // A schema for each property, with its own names, which are not names of the object.
    if (own.length > 0) {
      schema["properties"] = Object.fromEntries(
        own.map((key) => [key, { type: "object", properties: { [`inner ${key}`]: {} } }]),
      );
    }
    schema["not"] = { properties: Object.fromEntries(hidden.map((key) => [`hidden ${key}`, {}])) };
    schema["patternProperties"] = { "^x": { properties: { nested: {} } } };
    for (const [keyword, branch] of branches) add(schema, keyword, branch.schema);
    return { schema, names: [...new Set([...own, ...reachable(schema, branches)])] };
  });
}

const KEYWORDS = ["oneOf", "anyOf", "allOf", "if", "then", "else", "dependentSchemas"] as const;
const LEAF: fc.Arbitrary<Sample> = fc.constant({ schema: {}, names: [] });
const names = (maxLength: number) => fc.array(name, { maxLength });

function add(schema: Record<string, unknown>, keyword: string, branch: object): void {
  if (keyword === "oneOf" || keyword === "anyOf" || keyword === "allOf")
    schema[keyword] = [...((schema[keyword] as object[]) ?? []), branch];
  else if (keyword === "dependentSchemas")
    schema[keyword] = { ...(schema[keyword] as object), [`when ${JSON.stringify(branch).length}`]: branch };
  else schema[keyword] = branch;
}

/** A second `if` replaces the first; other keywords add up. */
function reachable(schema: Record<string, unknown>, branches: readonly (readonly [string, Sample])[]): string[] {
  return branches.flatMap(([keyword, branch]) => {
    const only = keyword === "if" || keyword === "then" || keyword === "else";
    const dependents = keyword === "dependentSchemas" ? Object.values(schema[keyword] as object) : undefined;
    if (only && schema[keyword] !== branch.schema) return [];
    return dependents !== undefined && !dependents.includes(branch.schema) ? [] : [...branch.names];
  });
}

test("what passes the filter is exactly the declared names", () => {
  fc.assert(
    fc.property(sampleOf(3), fc.dictionary(name, fc.jsonValue()), ({ schema, names }, extra) => {
      const found = declaredNames(schema);
      assert.deepEqual([...found].sort(), [...names].sort());
      const inputs = Object.fromEntries([
        ...Object.entries(extra),
        ...names.map((key) => [key, key] as const),
      ]) as never;
      const kept = createFilter(found)(inputs);
      assert.deepEqual(Object.keys(kept).sort(), [...names].sort());
      for (const key of names) assert.equal(kept[key], (inputs as Record<string, unknown>)[key]);
    }),
  );
});

test("local references are followed, by pointer and by anchor, and a loop ends", () => {
  const schema = {
    $ref: "#/$defs/base",
    allOf: [{ $ref: "#named" }, { $ref: "#" }, { $ref: "https://elsewhere.example/x" }, { $ref: "#/$defs/none" }],
    $defs: {
      base: { properties: { a: {} }, anyOf: [{ $ref: "#/$defs/with~1slash" }] },
      "with/slash": { properties: { b: {} } },
      anchored: { $anchor: "named", properties: { c: {} } },
      unused: { properties: { d: {} } },
    },
  };
  assert.deepEqual(declaredNames(schema).toSorted(), ["a", "b", "c"]);
});

test("what a source gets is frozen through and through, and has no prototype", () => {
  const inputs = createFilter(["a", "toString"])({ a: { b: [1] } });
  assert.equal(Object.getPrototypeOf(inputs), null);
  assert.equal((inputs as { toString?: unknown }).toString, undefined);
  assert.throws(() => ((inputs as { a: { b: number[] } }).a.b[0] = 2), TypeError);
  assert.throws(() => ((inputs as { z?: number }).z = 1), TypeError);
});
