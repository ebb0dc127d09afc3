import assert from "node:assert/strict";
import { test } from "node:test";
import { declarationProblem } from "./check-declaration.ts";

const problemOf = (origin: string) =>
  declarationProblem({ id: "acme__a", title: "A", inputs: { type: "object" }, origins: [origin], run: () => null });

test("a pattern of origins is never one under which anybody may have a name", () => {
  for (const wide of ["https://*.uk", "https://*.co.uk", "https://*.github.io", "https://*.s3.amazonaws.com"])
    assert.match(problemOf(wide) ?? "", /^origins: /, wide);
  for (const own of ["https://*.acme.example", "https://*.acme.co.uk", "https://*.acme.github.io:8443"])
    assert.equal(problemOf(own), null, own);
});
