import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentLocation } from "../format/read-document.ts";
import { evaluate, NOT_YET, parseTemplate, type Expression } from "./template.ts";

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
