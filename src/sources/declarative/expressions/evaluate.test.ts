import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, TreeInterpreter } from "@jmespath-community/jmespath";
import fc from "fast-check";
import { ExactNumber } from "../../../terms/json/exact-number.ts";
import type { Json, JsonObject } from "../../../terms/json/json.ts";
import { evaluate } from "./evaluate.ts";

const over = (expression: string, answer: JsonObject): Json => evaluate(compile(expression), answer);

const ANSWER: JsonObject = {
  a: { b: [1, 2, 3, { c: "x" }], s: "  hello, wörld 😀 ", n: null, t: true, o: { k: 1, l: [[1, 2], [3], 4] } },
  items: [
    { id: 1, name: "b", v: [1] },
    { id: 3, name: "a", v: [] },
    { id: 2, name: "c" },
  ],
  nums: [3, 1, 2],
  strs: ["b", "a", "c"],
  e: [],
  f: {},
  z: 0,
  x: "a,b,c",
};

const leaf = fc.constantFrom(
  "a",
  "a.b",
  "a.s",
  "a.o",
  "a.o.l",
  "items",
  "items[*].name",
  "items[].v",
  "nums",
  "strs",
  "x",
  "z",
  "e",
  "f",
  "a.t",
  "a.n",
  "@",
  "$",
  "'lit'",
  '`[1,"2"]`',
  "`7`",
  "items[0]",
  "nums[-1]",
  "a.s[2:5]",
  "nums[::-1]",
  "a.*",
  "missing",
);
const oneArgument = fc.constantFrom(
  "abs",
  "ceil",
  "avg",
  "sum",
  "max",
  "min",
  "sort",
  "keys",
  "values",
  "items",
  "to_array",
  "type",
  "length",
  "reverse",
  "lower",
  "upper",
  "trim",
  "trim_left",
  "trim_right",
  "to_string",
  "from_items",
  "merge",
  "not_null",
  "zip",
);
const twoArguments = fc.constantFrom(
  "contains",
  "join",
  "split",
  "find_first",
  "find_last",
  "starts_with",
  "ends_with",
);
const between = fc.constantFrom("==", "!=", "<", ">=", "&&", "||", "+", "-", "*", "/", "%", "|");
const after = fc.constantFrom("[*]", "[]", "[0]", "[?@]", ".a", ".*", "[?id > `1`]", "[1:]");
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.tuple(oneArgument, inner).map(([name, a]) => `${name}(${a})`),
      fc.tuple(twoArguments, inner, inner).map(([name, a, b]) => `${name}(${a}, ${b})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `replace(${a}, ${b}, ${c})`),
      // The library reverses entries with equal keys, so no two different entries have equal keys.
      fc.tuple(fc.constantFrom("id", "@", "name"), inner).map(([by, a]) => `sort_by(${a}, &${by})`),
      fc.tuple(fc.constantFrom("id", "@", "type(@)"), inner).map(([by, a]) => `map(&${by}, ${a})`),
      fc.tuple(inner, after).map(([a, more]) => `(${a})${more}`),
      fc.tuple(inner, between, inner).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      fc.tuple(inner, inner).map(([a, b]) => `{p: ${a}, q: [${b}, !${a}]}`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(inner, inner).map(([a, b]) => `let $v = ${a} in [$v, ${b}]`),
    ),
  };
});

test("what the library of the language makes of an expression is made of it", () => {
  const outcome = (work: () => unknown) => {
    try {
      return JSON.stringify(work() ?? null);
    } catch (error) {
      return /division by 0/.test(String(error)) ? "divides by 0" : "fails";
    }
  };
  // The library sorts numbers as texts. This evaluator sorts them as numbers, also by key.
  const differs = /sort\(|group_by|to_number/;
  fc.assert(
    fc.property(expression, (written) => {
      if (differs.test(written)) return;
      let tree: ReturnType<typeof compile>;
      try {
        tree = compile(written);
      } catch {
        return;
      }
      const own = outcome(() => evaluate(tree, { ...ANSWER }));
      // The library's remainder by 0 is NaN. Here it fails, like a division by 0.
      if (own === "divides by 0" && written.includes("%")) return;
      const theirs = outcome(() => TreeInterpreter.search(tree, ANSWER as never));
      assert.equal(own === "divides by 0" ? "fails" : own, theirs, written);
    }),
    { numRuns: 3000 },
  );
});

test("numbers are sorted and found as numbers, texts by their code points, and a text is a number only if JSON says so", () => {
  const answer = { n: [10, 9, 1, 33], t: ["b", "a", "B", "😀", "\uffee"], r: [{ k: "b" }, { k: "c" }, { k: "a" }] };
  assert.deepEqual(over("sort(n)", answer), [1, 9, 10, 33]);
  assert.deepEqual(over("sort(t)", answer), ["B", "a", "b", "\uffee", "😀"]);
  const ties = [
    { k: "x", at: 1 },
    { k: "x", at: 2 },
    { k: "w", at: 3 },
    { k: "x", at: 4 },
  ];
  assert.deepEqual(over("sort_by(ties, &k)[].at", { ties }), [3, 1, 2, 4]);
  assert.deepEqual(over("[max_by(r, &k).k, min_by(r, &k).k, max(t), min(n)]", answer), ["c", "a", "😀", 1]);
  const numbers = { list: ["12", "-0.5e1", "", "  ", "0x10", "1e999", "007", "1 ", null, true] };
  assert.deepEqual(over("map(&to_number(@), list)", numbers), [12, -5, null, null, null, null, null, null, null, null]);
});

test("a name that every object inherits is absent, and a name like it in an answer is found", () => {
  for (const name of ["constructor", "valueOf", "toString", "__proto__", "hasOwnProperty"]) {
    assert.equal(over(`body."${name}"`, { body: { error: "nobody" } }), null, name);
    const own = JSON.parse(`{"body": {"${name}": 1}}`) as JsonObject;
    assert.equal(over(`body."${name}"`, own), 1, name);
    assert.deepEqual(over(`group_by(body, &k)."${name}"`, { body: [{ k: name }] }), [{ k: name }]);
  }
});

test("a division by 0 fails, also where only its remainder is asked for", () => {
  for (const expression of ["`7` / z", "`7` % z", "[`7` % z]", "(`7` % z) > `1`"])
    assert.throws(() => over(expression, { z: 0 }), /division by 0/, expression);
});

test("what an answer says is never taken for an expression", () => {
  const answer = { e: { expref: true, type: "Root" }, list: [1, 2], secret: "s" };
  assert.throws(() => over("map(e, list)", answer));
  assert.throws(() => over("sort_by(list, e)", answer));
  assert.equal(over("type(e)", answer), "object");
});

test("a whole number that a double would change comes out of every expression as it was, or not at all", () => {
  const digits = "12345678901234567891";
  const answer = {
    id: new ExactNumber(digits),
    ids: [new ExactNumber(digits)],
    text: digits,
    pairs: [["id", new ExactNumber(digits)]],
  };
  let survived = 0;
  for (const written of [
    "id",
    "abs(id)",
    "ceil(id)",
    "floor(id)",
    "-id",
    "+id",
    "id + `0`",
    "id - `0`",
    "id * `1`",
    "id / `1`",
    "id // `1`",
    "id % `1000`",
    "sum(ids)",
    "avg(ids)",
    "max(ids)",
    "min(ids)",
    "sort(ids)",
    "to_number(text)",
    "to_number(id)",
    "to_string(id)",
    "ids[0]",
    "max_by(ids, &@)",
    "sort_by(ids, &@)",
    "map(&@, ids)",
    "to_array(id)",
    "not_null(n, id)",
    "from_items(pairs)",
    "merge({a: id})",
    "zip(ids, ids)",
    "{a: id}",
    "[id]",
    "ids[?@ == $.id]",
    "reverse(ids)",
  ]) {
    let json: string;
    try {
      json = JSON.stringify(over(written, answer));
    } catch {
      continue;
    }
    survived += 1;
    for (const [number] of json.matchAll(/\d+/g)) assert.equal(number, digits, written);
  }
  assert.ok(survived > 15);
});
