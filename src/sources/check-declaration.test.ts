import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeclaredOrigin, OriginRules } from "../terms/origins.ts";
import { declarationProblem } from "./check-declaration.ts";

const problemOf = (origin: string) =>
  declarationProblem({ id: "acme__a", title: "A", inputs: { type: "object" }, origins: [origin], run: () => null });

test("a pattern of origins is never one under which anybody may have a name", () => {
  for (const wide of ["https://*.uk", "https://*.co.uk", "https://*.github.io", "https://*.s3.amazonaws.com"])
    assert.match(problemOf(wide) ?? "", /^origins: /, wide);
  for (const own of ["https://*.acme.example", "https://*.acme.co.uk", "https://*.acme.github.io:8443"])
    assert.equal(problemOf(own), null, own);
});

test("the loader, the door and a simulated vendor agree on what an origin is and what it covers", () => {
  for (const origin of [
    "https://*.Registry.example",
    "https://*.registry.example:443",
    "https://*.registry.example/",
  ]) {
    assert.equal(problemOf(origin), null, origin);
    assert.ok(isDeclaredOrigin("https://a.registry.example/x", [origin]), origin);
    assert.ok(!isDeclaredOrigin("https://registry.example/x", [origin]), origin);
  }
  for (const origin of [
    "https://*.1.2",
    "https://acme.example/path",
    "https://user@acme.example",
    "acme.example",
    "",
  ]) {
    assert.match(problemOf(origin) ?? "", /is not an origin/, origin);
    assert.throws(() => new OriginRules([origin]), /is not an origin/, origin);
  }
});

test("a list of regions names at least one", () => {
  const problem = (regions: unknown) =>
    declarationProblem({ id: "acme__x", title: "X", inputs: {}, run: () => null, regions });
  for (const regions of [["eu"], ["eu", "eu-west-1"], undefined]) assert.equal(problem(regions), null);
  for (const regions of [[], "eu", [""], [" "], [1], null, {}])
    assert.equal(problem(regions), "regions must be a list of at least one region", JSON.stringify(regions));
});

test("a period of a rate is long enough for the store to be asked, and has an end that can be kept", () => {
  const problem = (every_ms: unknown) =>
    declarationProblem({
      id: "acme__x",
      title: "X",
      inputs: {},
      run: () => null,
      limits: { rate: [{ max: 1, every_ms }] },
    });
  const aYear = 366 * 86_400_000;
  for (const period of [100, 1_000, aYear]) assert.equal(problem(period), null);
  for (const period of [0, 1, 99, 100.5, aYear + 1, 9e15, Infinity, "1s"])
    assert.match(problem(period) ?? "", /a period has 100 ms to 366 days/, String(period));
});
