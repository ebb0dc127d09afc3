import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceDeclaration } from "../sdk/source.ts";
import { isDeclaredOrigin, OriginRules } from "../terms/http/origins.ts";
import { declarationProblem, unknownKeyWithin } from "./check-declaration.ts";

const problemOf = (origin: string) =>
  declarationProblem({ id: "acme__a", title: "A", inputs: { type: "object" }, origins: [origin], run: () => null });

test("a pattern of origins is never one under which anybody may have a name", () => {
  for (const wide of ["https://*.uk", "https://*.co.uk", "https://*.github.io", "https://*.s3.amazonaws.com"])
    assert.match(problemOf(wide) ?? "", /^origins: /, wide);
  for (const own of ["https://*.acme.example", "https://*.acme.co.uk", "https://*.acme.github.io:8443"])
    assert.equal(problemOf(own), null, own);
});

test("the loader, the client and a simulated vendor agree on what an origin is and what it covers", () => {
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

const problemWith = (parts: object) =>
  declarationProblem({ id: "acme__x", title: "X", inputs: {}, run: () => null, ...parts });

test("a list of regions names at least one", () => {
  const problem = (regions: unknown) => problemWith({ regions });
  for (const regions of [["eu"], ["eu", "eu-west-1"], undefined]) assert.equal(problem(regions), null);
  for (const regions of [[], "eu", [""], [" "], [1], null, {}])
    assert.equal(problem(regions), "regions must be a list of at least one region", JSON.stringify(regions));
});

test("a source resumes with an input that it declares", () => {
  const inputs = { anyOf: [{ properties: { order_id: {} } }] };
  assert.equal(problemWith({ inputs, resume: { input: "order_id" } }), null);
  for (const resume of [{ input: "order" }, { input: 1 }, {}, true, null])
    assert.match(problemWith({ inputs, resume }) ?? "", /^resume must be an object whose input is/);
});

test("a period of a rate is long enough for the store to be asked, and has an end that can be kept", () => {
  const problem = (every_ms: unknown) => problemWith({ limits: { rate: [{ per: "source", max: 1, every_ms }] } });
  const aYear = 366 * 86_400_000;
  for (const period of [100, 1_000, aYear]) assert.equal(problem(period), null);
  for (const period of [0, 1, 99, 100.5, aYear + 1, 9e15, Infinity, "1s"])
    assert.match(problem(period) ?? "", /a period has 100 ms to 366 days/, String(period));
});

test("a rate says what it is counted by, because a rate that is counted by nothing is not enforced", () => {
  const problem = (per: object) => problemWith({ limits: { rate: [{ max: 1, every_ms: 1_000, ...per }] } });
  for (const per of ["source", "credential"]) assert.equal(problem({ per }), null);
  for (const per of [{}, { per: undefined }, { per: null }, { per: "sources" }])
    assert.match(problem(per) ?? "", /^limits\.rate must be a list of .* per is credential or source/);
});

test("a misspelled key is refused wherever it is, with the one that was probably meant", () => {
  assert.equal(
    problemWith({ time_out_ms: 1 }),
    'time_out_ms is not a key of a source (keys for your own use begin with x-): did you mean "timeout_ms"?',
  );
  const within = (parts: object) => problemWith(parts) ?? unknownKeyWithin(parts as SourceDeclaration);
  const rate = { per: "source", max: 1, every_ms: 1_000 };
  const origin = { name: "Rules", licence: "MIT", date: "2026-01" };
  for (const [parts, says] of [
    [{ limits: { concurency: 1 } }, 'concurency is not a key of limits: did you mean "concurrency"?'],
    [{ limits: { burst: 1 } }, "burst is not a key of limits: known are max_bytes, concurrency, rate"],
    [
      { limits: { rate: [rate, { ...rate, maxx: 2 }] } },
      'maxx is not a key of an entry of limits.rate: did you mean "max"?',
    ],
    [{ charge: { model: "free", amounts: 1 } }, 'amounts is not a key of charge: did you mean "amount"?'],
    [{ data: [{ ...origin, license: "MIT" }] }, 'license is not a key of an entry of data: did you mean "licence"?'],
    [
      { inputs: { properties: { id: {} } }, resume: { input: "id", step: "x" } },
      "step is not a key of resume: known are input",
    ],
    [{ reply: { lenient: true, format: "xml" } }, "format is not a key of reply: known are lenient"],
    [{ live: { inputs: {}, input: {} } }, 'input is not a key of live: did you mean "inputs"?'],
  ] as const)
    assert.equal(within(parts), says);
  const charge = { model: "per_call", amount: 1, currency: "EUR" };
  const limits = { max_bytes: 1, concurrency: 1, rate: [rate] };
  assert.equal(
    within({
      reply: { lenient: true },
      limits,
      charge,
      data: [{ ...origin, url: "" }],
      live: { inputs: {} },
      "x-note": 1,
    }),
    null,
  );
  assert.equal(problemWith({ data: [{ ...origin, max_age_days: 90 }] }), null);
  assert.match(problemWith({ data: [{ ...origin, max_age_days: "90" }] }) ?? "", /^max_age_days of an entry of data/);
  assert.equal(problemWith({ reply: { lenient: "yes" } }), "reply.lenient must be true or false");
  assert.equal(problemWith({ reply: true }), "reply must be an object");
  for (const data of [{}, "Rules", ["Rules"], null]) assert.match(problemWith({ data }) ?? "", /^data must be a list/);
});
