import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { findRecord } from "./find-record.ts";
import { addCase } from "../sources/declarative/source-text.ts";
import { distinguishingCondition, distinguishingSteps } from "./distinguishing-path.ts";
import { toYaml } from "../sources/declarative/write-yaml.ts";

test("a record and no record are distinguished by what one reply has and the other lacks", () => {
  assert.deepEqual(
    distinguishingSteps({ ok: true, data: { hits: [1], page: 1 } }, { ok: true, data: { hits: [], page: 1 } }),
    ["data", "hits"],
  );
  assert.deepEqual(distinguishingSteps({ a: { b: "x" } }, null), ["a"]);
  assert.equal(distinguishingSteps({ a: 1 }, { a: 2 }), null);
});

test("the record is what a reply wraps, and a list only if nothing beside it can be the record", () => {
  for (const [sample, steps, isList] of [
    [{ number: "1", name: "Ada", officers: [{ name: "B" }] }, [], false],
    [{ company: { number: "1" }, meta: { page: 1 } }, ["company"], false],
    [{ result: "FOUND", company: { number: "1", name: "Ada" } }, ["company"], false],
    [{ company: { number: "1" }, officers: [{ name: "B" }] }, [], false],
    [{ status: "ok", data: { person: { name: "Ada", born: "x" } } }, ["data", "person"], false],
    [
      { transactionDetail: { id: "x" }, inquiryDetail: { q: 1 }, matchCandidates: [{ duns: "1" }] },
      ["matchCandidates"],
      true,
    ],
    [{ echo: { q: 1 }, hits: [{ id: 1 }], total: 1 }, ["hits"], true],
    [{ response: { status: { code: 0 } }, meta: {} }, ["response", "status"], false],
    [[{ id: 1 }], [], true],
    ["text", [], false],
  ] as const)
    assert.deepEqual(findRecord(sample), { steps, isList }, JSON.stringify(sample));
});

test("no record is recognised by a list, a flag, a number or a word, in that order, and never by an identifier", () => {
  assert.equal(
    distinguishingCondition({ word: "NONE", items: [] }, { word: "HIT", items: [1] }),
    "type(body.items) == 'array' && length(body.items) == `0`",
  );
  assert.equal(
    distinguishingCondition({ valid: false, word: "NO" }, { valid: true, word: "YES" }),
    "body.valid == `false`",
  );
  assert.equal(distinguishingCondition({ meta: { total: 0 } }, { meta: { total: 2 } }), "body.meta.total == `0`");
  assert.equal(
    distinguishingCondition({ id: "r-81", result: "NONE" }, { id: "r-80", result: "FOUND" }),
    "body.result == 'NONE'",
  );
  assert.equal(
    distinguishingCondition({ id: "r-81" }, { id: "r-80" }),
    "type(body) == 'object' && contains(keys(body), 'id')",
  );
  assert.equal(distinguishingCondition({}, { id: 1 }), null);
});

const added = { name: "added", inputs: { a: "007", b: "two\nlines", c: "yes: #no" }, expect: { match: true } } as const;

test("a case is added to the end of the cases, and the rest of the file stays as it is", () => {
  const before =
    "id: a__b # why\ncases:\n    - {name: first, inputs: {a:   '1'}, expect: {match: true}}\n\n# After it.\nx-more: 1\n";
  const after = addCase(before, added);
  const file = parse(after) as { cases: unknown[]; "x-more": number };
  assert.deepEqual(file.cases[1], added);
  assert.equal(file.cases.length, 2);
  assert.equal(file["x-more"], 1);
  assert.ok(after.startsWith(before.slice(0, before.indexOf("\n\n#"))));
  assert.ok(after.includes("# After it.\nx-more: 1"));
  assert.deepEqual((parse(addCase("id: a__b\n", added)) as { cases: unknown[] }).cases, [added]);
  assert.throws(() => addCase("id: a__b\ncases: []\n", added), /one below the other/);
});

test("what is written as YAML reads back as it was", () => {
  const value = {
    match: { record: "a == `1`" },
    list: [{ zeros: "007", no: "no", date: "2001-02-03", long: "x ".repeat(90), empty: "" }],
    none: null,
  };
  assert.deepEqual(parse(toYaml(value)), value);
});
