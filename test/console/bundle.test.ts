import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { adminOpenApiDocument } from "../../src/admin/http/admin-openapi.ts";
import { buildConsole } from "../../tools/console/build-console.ts";
import { verbTypes } from "../../tools/console/write-verb-types.ts";

/** What a browser loads before it can show anything. */
const SCRIPT_BYTES_MAX = 80_000;

test("the types of the verbs are those of the contract", async () => {
  const written = readFileSync(new URL("../../console/api/verbs.ts", import.meta.url), "utf8");
  assert.equal(written, verbTypes(await adminOpenApiDocument(findVerbs())), "run npm run openapi");
});

test("the console is one page, one style sheet, and scripts of less than 80 kB until it shows something", async (t) => {
  const files = await buildConsole();
  const named = (pattern: RegExp) => files.filter(({ name }) => pattern.test(name));
  const [page, style, script] = [/^index\.html$/, /^console-\w+\.css$/, /^console-\w+\.js$/].map((pattern) => {
    assert.equal(named(pattern).length, 1, String(pattern));
    return named(pattern)[0]!;
  });
  const parts = named(/^part-\w+\.js$/);
  assert.equal(files.length, 3 + parts.length);
  // Parts that the script imports are loaded with it, and others when they are first shown.
  const first = parts.filter(({ name }) => script!.text.includes(`from"./${name}"`));
  const bytes = [script!, ...first].reduce((sum, { text }) => sum + gzipSync(text).length, 0);
  t.diagnostic(`${bytes} bytes of script, gzipped; ${parts.length - first.length} parts are loaded later`);
  assert.ok(bytes < SCRIPT_BYTES_MAX, `${bytes} bytes`);
  assert.ok(parts.length > first.length);
  for (const { name } of [style!, script!]) assert.ok(page!.text.includes(`/console/${name}`), name);
  // Nothing in the page itself runs or styles: the browser is told to refuse it.
  assert.doesNotMatch(page!.text, /<script(?! type="module" src=)|<style| on\w+=| style=/);
  for (const { text } of [script!, ...parts]) assert.doesNotMatch(text, /dangerouslySetInnerHTML\s*:/);
});
