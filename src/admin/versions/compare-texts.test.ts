import assert from "node:assert/strict";
import { test } from "node:test";
import { compareTexts, differencesText, LINES_MAX, SAME_FILES } from "./compare-texts.ts";

const texts = (source: Readonly<Record<string, string>>, content: object = {}) => ({
  content: JSON.stringify(content),
  source,
});

test("files that were added, removed and changed are told apart, sorted by path", async () => {
  const before = texts({ "b.ts": "old\n", "c.ts": "gone\n", "d.ts": "same\n" });
  const after = texts({ "a.ts": "new", "b.ts": "changed\n", "d.ts": "same\n" });
  assert.equal(
    differencesText(await compareTexts(before, after)),
    `--- /dev/null
+++ a.ts
@@ -0,0 +1,1 @@
+new
\\ No newline at end of file

--- b.ts
+++ b.ts
@@ -1,1 +1,1 @@
-old
+changed

--- c.ts
+++ /dev/null
@@ -1,1 +0,0 @@
-gone
`,
  );
});

test("packages of a TypeScript source are compared, whatever their names", async () => {
  const of = (packages: object) => texts({}, { files: {}, packages });
  const { files, packages } = await compareTexts(
    of({ a: "1", constructor: "2", same: "3" }),
    of({ a: "1.1", same: "3" }),
  );
  assert.deepEqual(files, []);
  assert.deepEqual(packages, [
    { package: "a", before: "1", after: "1.1" },
    { package: "constructor", before: "2", after: null },
  ]);
  assert.deepEqual((await compareTexts(texts({}, { packages: { a: "1" } }), texts({}, {}))).packages, []);
});

test("more differing lines than can be compared quickly are only counted as many", async () => {
  const lines = (word: string) => Array.from({ length: LINES_MAX }, (_, at) => `${word} ${at}\n`).join("");
  const differences = await compareTexts(texts({ "a.json": lines("one") }), texts({ "a.json": lines("other") }));
  assert.deepEqual(differences.files, [{ file: "a.json", change: "changed", diff: null }]);
  assert.equal(differencesText(differences), `a.json was changed: more than ${LINES_MAX} lines differ\n`);
});

test("where the files are the same, it is said what else may differ", async () => {
  assert.equal(differencesText(await compareTexts(texts({ "a.ts": "x" }), texts({ "a.ts": "x" }))), `${SAME_FILES}\n`);
});
