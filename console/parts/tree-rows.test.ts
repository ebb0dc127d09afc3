import assert from "node:assert/strict";
import { test } from "node:test";
import { allOpen, firstOpen, treeRows } from "./tree-rows.ts";

const shown = (value: unknown, open: ReadonlySet<string> = new Set()) =>
  treeRows(value, open).map(({ level, name, text }) => `${"  ".repeat(level - 1)}${name}: ${text}`);

test("a folded container says what it holds, and an unfolded one shows it", () => {
  const value = { name: "Ada", address: { city: "Rom", "a/b": [1, null] }, none: {}, tags: [] };
  assert.deepEqual(shown(value), ["name: Ada", "address: city, a/b", "none: { }", "tags: [ ]"]);
  assert.deepEqual(shown(value, new Set(["/address", "/address/a~1b"])), [
    "name: Ada",
    "address: ",
    "  city: Rom",
    "  a/b: 2 entries",
    "    0: 1",
    "    1: null",
    "none: { }",
    "tags: [ ]",
  ]);
  assert.deepEqual(shown("only"), [": only"]);
  assert.deepEqual(shown({}), [": { }"]);
});

test("a small value is unfolded at first, and of a large one only as much as can be read", () => {
  const small = { a: { b: { c: { d: 1 } } } };
  assert.equal(treeRows(small, firstOpen(small)).length, 4);
  const large = { few: { a: 1 }, many: Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`m${at}`, at])) };
  assert.equal(treeRows(large, firstOpen(large)).length, 2);
});

test("a long list comes in parts, and a long text is cut until it is unfolded", () => {
  const long = { list: Array.from({ length: 250 }, (_, at) => at), text: "x".repeat(5_000) };
  const open = new Set(["/list", "/list/201 to 250"]);
  const rows = treeRows(long, open);
  assert.deepEqual(
    rows.filter(({ level }) => level === 2).map(({ name }) => name),
    ["1 to 100", "101 to 200", "201 to 250"],
  );
  assert.equal(rows.filter(({ level }) => level === 3).length, 50);
  assert.match(rows.at(-1)!.text, /^x{240}… \(5000 characters\)$/);
  assert.equal(treeRows(long, new Set(["/text"])).at(-1)!.text.length, 5_000);
});

test("to unfold all shows no more lines than a page can", () => {
  let deep: unknown = 1;
  for (let at = 0; at < 60; at += 1) deep = { next: deep };
  assert.equal(treeRows(deep, allOpen(deep, 2_000)).length, 60);
  const wide = Array.from({ length: 100_000 }, (_, at) => ({ at }));
  const rows = treeRows(wide, allOpen(wide, 2_000)).length;
  assert.ok(rows > 1_000 && rows <= 2_000, `${rows}`);
});
