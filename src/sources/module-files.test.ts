import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { readModuleFiles } from "./module-files.ts";

function folder(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "datarun-module-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const FILES = {
  "project/sources/a.ts": `import { readFile } from "node:fs/promises";
import { defineSource } from "datarun";
import named, { b } from "../shared/b.ts";
import "@acme/codes/sub.js";
export * from './c.ts'
const later = () => import("../shared/later.ts");
// from "absent", and import "./absent.ts"
import outside from "../../outside.ts";`,
  "project/sources/c.ts": `import data from "./data.json" with { type: "json" };`,
  "project/sources/data.json": `{"a": "from 'acme'"}`,
  "project/sources/other.ts": "",
  "project/shared/b.ts": `import "../sources/a.ts"; import plain from "plain";`,
  "project/shared/later.ts": "",
  "project/node_modules/@acme/codes/package.json": `{"version": "1.2.3"}`,
  "node_modules/plain/package.json": `{"version": "4.5.6"}`,
  "outside.ts": "",
};

test("the files of a module are those that it imports from its root, and the versions of its packages", async (t) => {
  const root = join(folder(t, FILES), "project");
  const { files, packages } = await readModuleFiles(join(root, "sources/a.ts"), root);
  assert.deepEqual(Object.keys(files), [
    "shared/b.ts",
    "shared/later.ts",
    "sources/a.ts",
    "sources/c.ts",
    "sources/data.json",
  ]);
  assert.equal(files["sources/a.ts"], FILES["project/sources/a.ts"]);
  assert.deepEqual(packages, { "@acme/codes": "1.2.3", plain: "4.5.6" });
});

test("the same files in another folder are the same content", async (t) => {
  const [one, other] = [folder(t, FILES), folder(t, Object.fromEntries(Object.entries(FILES).toReversed()))];
  const read = (root: string) => readModuleFiles(join(root, "project/sources/a.ts"), join(root, "project"));
  assert.equal(JSON.stringify(await read(one)), JSON.stringify(await read(other)));
});
