import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { adminOpenApiDocument } from "../../src/admin/http/openapi.ts";
import { buildConsole } from "../../tools/console/build-console.ts";
import { verbTypes } from "../../tools/console/write-verb-types.ts";

/** What a browser loads before it can show anything. */
const SCRIPT_BYTES_MAX = 80_000;

test("the types of the verbs are those of the contract", async () => {
  const written = readFileSync(new URL("../../console/api/verbs.ts", import.meta.url), "utf8");
  assert.equal(written, verbTypes(await adminOpenApiDocument(findVerbs())), "run npm run openapi");
});

test("the console is one page, one style sheet and one script of less than 80 kB", async (t) => {
  const files = await buildConsole();
  assert.deepEqual(files.map(({ name }) => name.replace(/-\w+\./, "-HASH.")).sort(), [
    "console-HASH.css",
    "console-HASH.js",
    "index.html",
  ]);
  const [page, script] = ["index.html", ".js"].map((end) => files.find(({ name }) => name.endsWith(end))!);
  const bytes = gzipSync(script!.text).length;
  t.diagnostic(`${bytes} bytes of script, gzipped`);
  assert.ok(bytes < SCRIPT_BYTES_MAX, `${bytes} bytes`);
  for (const { name } of files.filter((file) => file !== page))
    assert.ok(page!.text.includes(`/console/${name}`), name);
  // Nothing in the page itself runs or styles: the browser is told to refuse it.
  assert.doesNotMatch(page!.text, /<script(?! type="module" src=)|<style| on\w+=| style=/);
  assert.doesNotMatch(script!.text, /dangerouslySetInnerHTML\s*:/);
});
