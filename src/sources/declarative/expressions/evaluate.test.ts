import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, TreeInterpreter } from "@jmespath-community/jmespath";
import fc from "fast-check";
import { leastCpuMs } from "../../../terms/cpu-time.kit.ts";
import { ExactNumber } from "../../../terms/exact-number.ts";
import type { Json, JsonObject } from "../../../terms/json.ts";
import { evaluate } from "./evaluate.ts";
import { FUNCTIONS } from "./expression-functions.ts";

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
      // The library reverses entries with equal keys, so no two different ones have the same.
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
  // The library sorts numbers as texts; here they are sorted as numbers, also by key.
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
      // The library has a value for a remainder by 0, which is not a number; here it fails as a division by 0 does.
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

/** The longest that one step may block the event loop. */
const HELD_MS_MAX = 50;
const LONG = 1_000_000;
const aa = "a".repeat(LONG);
const hostile: JsonObject = {
  s: `x${" ".repeat(LONG)}x`,
  aa,
  needle: `b${"a".repeat(LONG / 2)}`,
  tail: `${"a".repeat(LONG / 2)}b`,
  short: `${"a".repeat(15)}b`,
  sep: "x".repeat(LONG / 2),
  big: 1e9,
  wide: Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`member${at}`, at])),
  list: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}`, items: [1, 2] })),
  strs: Array.from({ length: 30 }, (_, at) => "a".repeat(300_000) + at),
  many: Array.from({ length: 40_000 }, (_, at) => String(at % 7)),
  nums: Array.from({ length: 40_000 }, (_, at) => at % 1000),
  digits: "1".repeat(LONG),
  same: Buffer.from(aa).toString(),
  str: "a".repeat(300_002),
  long: new ExactNumber(`0.${"3".repeat(LONG / 10)}`),
  longs: Array.from({ length: 1_000 }, (_, at) => new ExactNumber(`0.${"3".repeat(2_000)}${at}`)),
  words: "é漢".repeat(LONG / 2),
  faces: "😀".repeat(LONG / 2),
  nothing: Array.from({ length: 99_000 }, () => false),
  empties: Array.from({ length: 49_000 }, () => []),
  exact: Array.from({ length: 20_000 }, (_, at) => new ExactNumber(`1234567890123456789${at}`)),
};
const EXPENSIVE = [
  "trim(s)",
  "trim_left(s)",
  "trim_right(s)",
  "trim(s, 'x ')",
  "upper(aa)",
  "length(aa)",
  "reverse(aa)",
  "contains(aa, needle)",
  "contains(aa, tail)",
  "contains(aa, short)",
  "find_first(aa, needle)",
  "find_last(aa, tail)",
  "split(aa, 'a')",
  "split(aa, '')",
  "split(aa, needle)",
  "replace(aa, 'a', 'bb')",
  "replace(aa, 'a', sep)",
  "replace(aa, 'a', 'b', `1000000`)",
  "join(sep, many)",
  "pad_left(s, big)",
  "pad_right('x', big)",
  "sort(strs)",
  "sort_by(list, &name)",
  "max(strs)",
  "max(nums)",
  "group_by(list, &name)",
  "zip(nums, nums)",
  "map(&$.list[*].id, list)",
  "list[*].[$]",
  "list[?contains($.nums, id)]",
  "list[*].[$.list[*].id]",
  "to_string(list[0:200].[$])",
  "let $l = list in list[*].[$l[*].id]",
  "list[*].to_string($)",
  "list[?$.list == $.list && contains($.strs, name)]",
  "list[*].{a: id, b: name, c: items, d: x, e: y, f: z}",
  "aa[::-1]",
  "map(&[$.aa, upper($.aa)], nums)",
  "list[].items[] | [*].[$.aa[0:3]]",
  "list[?$.wide]",
  "list[?@ == $.wide]",
  "list[?$.wide == @]",
  "list[*].keys($.wide)",
  "list[*].[!($.wide)]",
  "list[?$.wide.* == @]",
  "nums[?@ != $.long]",
  "nums[?@ < $.long]",
  "list[?contains($.longs, $.long)]",
  "sort(longs)",
  "[max(longs), min(longs)]",
  "list[*].to_string($.long)",
  "list[?ceil($.long) == id]",
  "list[*].[$.long + id]",
  "to_number(digits)",
  "[sum(nums), avg(nums), max(nums), min(nums)]",
  "[ceil(big), floor(big), abs(big)]",
  "from_items(items(wide))",
  "merge(wide, wide)",
  "[keys(wide), values(wide)]",
  "[lower(aa), upper(aa), type(aa), to_array(aa), not_null(x, aa)]",
  "max_by(list, &id)",
  "min_by(list, &name)",
  "list[*].to_number($.digits)",
  "list[*].lower($.aa)",
  "list[?$.aa == $.same]",
  "list[*].starts_with($.aa, $.same)",
  "list[*].ends_with($.aa, $.same)",
  "list[?contains($.strs, $.str)]",
  "list[?[$.aa] == [$.same]]",
  "list[?contains($.nothing, id)]",
  "list[?contains($.strs, id)]",
  "list[*].[$.empties[]]",
  "list[*].upper($.words)",
  "list[*].find_last($.words, 'b')",
  "list[*].find_last($.words, '漢')",
  "list[*].find_last($.aa, $.needle)",
  "list[*].find_last($.aa, $.short)",
  "list[*].trim(name, $.words)",
  "list[*].[$.words[::-1]]",
  "list[*].[$.faces[::-1]]",
  "list[*].[$.words[0:1]]",
  "list[*].reverse($.faces)",
  "list[*].group_by($.list, &name)",
  "list[*].to_string($.exact)",
  "list[*].[$.list[*].merge(@)]",
  "list[*].[$.list[*].zip([@], [@])]",
];

for (const written of EXPENSIVE) {
  test(`${written} ends soon over an answer made for it`, () => {
    const tree = compile(written);
    leastCpuMs(HELD_MS_MAX, () => {
      try {
        evaluate(tree, { ...hostile });
      } catch (error) {
        assert.match((error as Error).message, /take too many steps for this reply|would be too long/);
      }
    });
  });
}

test("a text of a megabyte is not too long to be turned round", () => {
  assert.equal(over("length(reverse(aa))", { aa }), LONG);
});

test("every function is held to that", () => {
  const missing = [...FUNCTIONS.keys()].filter((name) => !EXPENSIVE.some((written) => written.includes(`${name}(`)));
  assert.deepEqual(missing, []);
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

test("all expressions over one answer have one account, and another answer has its own", () => {
  const tree = compile("list[*].{a: id, b: name, c: items}");
  const answer = { list: hostile["list"]! };
  assert.throws(() => {
    for (let round = 0; round < 10; round += 1) evaluate(tree, answer);
  }, /take too many steps/);
  assert.equal((evaluate(tree, { ...answer }) as Json[]).length, 20_000);
});
