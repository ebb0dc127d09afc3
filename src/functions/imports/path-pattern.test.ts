import assert from "node:assert/strict";
import { matchesGlob } from "node:path";
import { test } from "node:test";
import { fitsOneOf } from "./path-pattern.ts";

const PATHS = ["a.js", "keep.js", "dist/a.js", "dist/keep.js", "dist/esm/keep.css", "src/a/b/c/keep.js", "a/a/a/b/a"];
const PATTERNS = [
  "a.js",
  "keep.js",
  "*.js",
  "k*p.?s",
  "dist/*",
  "dist/*.js",
  "dist/**",
  "**/*.js",
  "**/keep.js",
  "src/**/keep.*",
  "**/a/**/a",
  "**/a/b/**",
  "*",
  "**",
  "*/*/*",
  "**/*/**/*.css",
];

test("a path fits the patterns of a package as it does for Node", () => {
  for (const path of PATHS)
    for (const pattern of PATTERNS)
      assert.equal(fitsOneOf(path, [pattern]), matchesGlob(path, pattern), `${path} ${pattern}`);
});

test("what is not understood is not known, and neither is what would take long", () => {
  for (const pattern of ["*.{js,css}", "[ab].js", "!(a).js", "a\\*.js", `${"*a".repeat(10_000)}b`])
    assert.equal(fitsOneOf("a".repeat(100), ["a.js", pattern]), null, pattern.slice(0, 20));
});

test("asterisks cost their number and no more", () => {
  const before = process.cpuUsage();
  for (const any of ["*a", "**/a/"])
    assert.equal(fitsOneOf(any === "*a" ? "a".repeat(250) : "a/".repeat(250), [`${any.repeat(200)}b`]), false);
  assert.ok(process.cpuUsage(before).user < 1e6);
});
