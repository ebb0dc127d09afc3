import assert from "node:assert/strict";
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { replaceFile } from "./source-files.ts";

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "datarun-replace-"));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

test("a reader of a file that is being replaced gets the complete old text, and no other file is left", (t) => {
  const here = folder(t);
  const file = join(here, "a.cases.json");
  replaceFile(file, "first");
  const reader = openSync(file, "r");
  replaceFile(file, "second");
  assert.deepEqual([readFileSync(reader, "utf8"), readFileSync(file, "utf8")], ["first", "second"]);
  closeSync(reader);
  assert.deepEqual(readdirSync(here), ["a.cases.json"]);
});

test("a replaced file keeps its mode, and a link to it stays a link", (t) => {
  const here = folder(t);
  const [file, link] = [join(here, "a.yaml"), join(here, "b.yaml")];
  // A mode that a new file does not get by any usual mask.
  writeFileSync(file, "first");
  chmodSync(file, 0o467);
  symlinkSync("a.yaml", link);
  replaceFile(link, "second");
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.deepEqual([readFileSync(file, "utf8"), lstatSync(file).mode & 0o777], ["second", 0o467]);
});

test("a file that cannot be replaced stays as it is, and nothing is left beside it", (t) => {
  const here = folder(t);
  const place = join(here, "a.yaml");
  mkdirSync(place);
  assert.throws(() => replaceFile(place, "text"), { code: "EISDIR" });
  assert.deepEqual(readdirSync(here), ["a.yaml"]);
});
