import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../terms/json/json.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { DeclarationError } from "../../sources/declarative/format/declaration-error.ts";
import { writeDraft } from "../draft-source.ts";
import { draftCaptured } from "./captured-request.ts";
import { ImportProblem } from "./import-problem.ts";
import { CHOICES, drafted, OPENAPI, read, SWAGGER } from "./openapi-documents.kit.ts";
import { readHar } from "./read-har.ts";

const ODD: readonly Json[] = [
  null,
  true,
  0,
  -1,
  2 ** 63,
  1.5,
  "",
  "x",
  "(?i)a",
  "query",
  "object",
  "array",
  "{",
  "{{ inputs.x }}",
  "é\u0000",
  "%",
  "https://[",
  "__proto__",
  [],
  [null],
  ["a", "a"],
  {},
  { "": null },
  { type: "query" },
  { type: ["string", 1] },
  { enum: [] },
  { $ref: "#/paths" },
  { $ref: "#" },
  { $ref: "#/%E0%A4%A" },
  { $ref: "other.yaml" },
  { $ref: 1 },
  { toString: 1 },
  { schema: { type: "object" } },
];

/** The paths of all values of a document, as names from the root. */
function placesOf(value: Json, at: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [[...at]];
  return [[...at], ...Object.entries(value).flatMap(([name, part]) => placesOf(part as Json, [...at, name]))];
}

function changed(
  value: Json,
  [name, ...below]: readonly string[],
  change: (there: Json | undefined) => Json | undefined,
): Json {
  if (name === undefined) return change(value) ?? null;
  if (typeof value !== "object" || value === null) return value;
  const there = (value as Record<string, Json>)[name];
  const made = below.length === 0 ? change(there) : there === undefined ? undefined : changed(there, below, change);
  if (Array.isArray(value))
    return value.flatMap((part: Json, at) => (String(at) === name ? (made === undefined ? [] : [made]) : [part]));
  return Object.fromEntries(
    Object.entries({ ...value, [name]: made }).filter(([, part]) => part !== undefined),
  ) as Json;
}

/** A document with some parts replaced, removed or copied. */
function mutants(document: Json): fc.Arbitrary<Json> {
  const places = placesOf(document);
  const place = fc.constantFrom(...places);
  const odd = fc.oneof(fc.constantFrom(...ODD), fc.constant(undefined), place);
  return fc.array(fc.tuple(place, odd), { minLength: 1, maxLength: 3 }).map((changes) =>
    changes.reduce((made, [at, part]) => {
      const copied = Array.isArray(part) && part.every((name) => typeof name === "string") && part.length > 0;
      const value = copied
        ? (part as string[]).reduce<Json | undefined>(
            (found, name) => (found as Record<string, Json> | undefined)?.[name],
            document,
          )
        : part;
      return changed(made, at, () => value as Json | undefined);
    }, document),
  );
}

/** Asserts that an import ends with a draft or with an intended refusal. */
function endsAsMeant(make: () => unknown): void {
  try {
    make();
  } catch (error) {
    if (error instanceof RangeError || error instanceof DeclarationError) return;
    if (!(error instanceof ImportProblem)) throw error;
    assert.match(error.message, /^api\.json:\d+:\d+: |^api\.har(?:, entry \d+)?: /);
  }
}

for (const [what, document, operations] of [
  ["an OpenAPI document", OPENAPI, ["find"]],
  ["a Swagger 2.0 document", SWAGGER, ["get", "find", "form"]],
] as const) {
  test(`${what} that is not as it should be is imported in part or refused with its place, and never fails otherwise`, () => {
    for (const one of operations)
      endsAsMeant(() => compileDeclarative(writeDraft(drafted(read(document, one)), "s.json"), "a.yaml"));
    fc.assert(
      fc.property(
        mutants(document),
        fc.constantFrom(...operations),
        fc.constantFrom(undefined, "bearer"),
        (mutant, one, auth) => endsAsMeant(() => writeDraft(drafted(read(mutant, one, auth)), "s.json")),
      ),
      { numRuns: 60 },
    );
  });
}

test("an HTTP archive that is not as it should be is imported in part or refused, and never fails otherwise", () => {
  const archive: Json = {
    log: {
      entries: [
        {
          request: {
            method: "POST",
            url: "https://api.acme.example/v1?a=1",
            headers: [{ name: "Accept", value: "application/json" }],
            cookies: [],
            postData: { mimeType: "application/json", text: '{"a":1}', params: [] },
          },
          response: { status: 200, content: { text: '{"name":"Ada"}', mimeType: "application/json", encoding: "" } },
        },
      ],
    },
  };
  fc.assert(
    fc.property(mutants(archive), (mutant) =>
      endsAsMeant(() => {
        for (const entry of readHar(JSON.stringify(mutant), "api.har")) {
          endsAsMeant(() => draftCaptured(entry.request(), CHOICES));
          endsAsMeant(() => entry.answer());
        }
      }),
    ),
    { numRuns: 60 },
  );
});
