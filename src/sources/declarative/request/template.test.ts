import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../terms/json/json.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { asItIs } from "./encodings.ts";
import { evaluate, fill, NOT_YET, parseTemplate, type Expression } from "./template.ts";

const PLACE = {
  refuse: (_: string, problem: string) => {
    throw new Error(problem);
  },
} as unknown as DocumentLocation;

const only = (written: string) => parseTemplate(written, { inputs: null, steps: ["search"] }, PLACE)[0] as Expression;

test("a template names an entry of a list, and an attribute or a text of XML", () => {
  const values = { steps: { search: { body: { hits: [{ id: "h-1" }], r: { "@id": "7", "#text": "t" } } } } };
  assert.equal(evaluate(only("{{ steps.search.body.hits[0].id }}"), values), "h-1");
  assert.equal(evaluate(only("{{ steps.search.body.hits[1].id }}"), values), undefined);
  assert.equal(evaluate(only("{{ steps.search.body.hits[-1].id }}"), values), "h-1");
  assert.equal(evaluate(only("{{ steps.search.body.hits[-2].id }}"), values), undefined);
  assert.equal(evaluate(only("{{ steps.search.body.r.@id }}"), values), "7");
  assert.equal(evaluate(only("{{ steps.search.body.r.#text }}"), values), "t");
  for (const written of [
    "{{ @id }}",
    "{{ steps[0] }}",
    "{{ steps.search.body.[0] }}",
    "{{ steps.search.body.hits[] }}",
  ])
    assert.throws(() => only(written), written);
});

test("what is not known yet can be sent, whatever filters stand behind it", () => {
  assert.equal(evaluate(only("{{ steps.search.body.born | date('DD.MM.YYYY') }}"), { steps: NOT_YET }), "-");
});

const filled = (written: string, inputs: JsonObject) =>
  fill(parseTemplate(written, { inputs: null }, PLACE), { inputs }, asItIs);

test("a filter after concat applies to the whole text, and a filter inside it to one value", () => {
  const inputs = { a: "x", b: "y", n: 1 };
  assert.equal(filled("{{ concat(inputs.a, ':', inputs.b) | upper }}!", inputs), "X:Y!");
  assert.equal(filled("{{ concat(inputs.a | upper, ', (', inputs.n | zero_pad(3), \")\") }}", inputs), "X, (001)");
  assert.equal(filled("{{ concat(inputs.a, inputs.gone) }}", inputs), undefined);
  assert.equal(filled("{{ concat(inputs.a, inputs.gone | default('-')) }}", inputs), "x-");
  assert.throws(() => filled("{{ concat(inputs.a, inputs.list) }}", { a: "x", list: ["y"] }), {
    code: "source.input_invalid",
  });
  for (const written of [
    "{{ concat() }}",
    "{{ concat(inputs.a, 3) }}",
    "{{ concat(inputs.a }}",
    "{{ concat(inputs.a,) }}",
  ])
    assert.throws(() => filled(written, inputs), /begins with a name, a text in quotes or concat/, written);
});

test("braces are written as texts in quotes, and single ones as they are", () => {
  assert.equal(
    filled("query { a(id: \"{{ inputs.a }}\") { b { c {{ '}}' }} }", { a: "x" }),
    'query { a(id: "x") { b { c }} }',
  );
  assert.equal(filled("{{ '{{' }}{{ inputs.a }}{{ \"}}\" }}", { a: "x" }), "{{x}}");
  assert.equal(filled("{{ 'ab' | upper }}", {}), "AB");
  for (const written of ["{ a { b }}", "{{ inputs.a", "{{ 'a }}", "{{ inputs.a }} }}"])
    assert.throws(() => filled(written, { a: "x" }), /one \{\{ and one \}\}/, written);
});
