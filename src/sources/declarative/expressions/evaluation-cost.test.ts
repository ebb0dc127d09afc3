import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "@jmespath-community/jmespath";
import { leastCpuMs } from "../../../terms/platform/cpu-time.kit.ts";
import { ExactNumber } from "../../../terms/json/exact-number.ts";
import type { Json, JsonObject } from "../../../terms/json/json.ts";
import { evaluate } from "./evaluate.ts";
import { FUNCTIONS } from "./expression-functions.ts";

/** The longest time for which one evaluation may block the event loop, in ms. */
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
  assert.equal(evaluate(compile("length(reverse(aa))"), { aa }), LONG);
});

test("every function is held to that", () => {
  const missing = [...FUNCTIONS.keys()].filter((name) => !EXPENSIVE.some((written) => written.includes(`${name}(`)));
  assert.deepEqual(missing, []);
});

test("all expressions over one answer have one account, and another answer has its own", () => {
  const tree = compile("list[*].{a: id, b: name, c: items}");
  const answer = { list: hostile["list"]! };
  assert.throws(() => {
    for (let round = 0; round < 10; round += 1) evaluate(tree, answer);
  }, /take too many steps/);
  assert.equal((evaluate(tree, { ...answer }) as Json[]).length, 20_000);
});
