import assert from "node:assert/strict";
import test from "node:test";
import type { RunReportRow } from "../ports.ts";
import { attemptRow, callRow, runRow } from "../rows.kit.ts";
import { renderTimeline } from "./render-timeline.ts";

const run = runRow({
  transaction_id: "trx_1",
  state: "ended",
  kind: "func",
  organization_id: "org_a",
  workflow_id: "wfl_a",
  token_id: "tok_a",
  context: "prod",
  region: "eu",
  simulated: 0,
  function_id: "dfunc_contact",
  function_version: "aBcDeF-123456789",
  build: "1.2.0",
  started_at: Date.UTC(2026, 2, 1, 12),
  took_ms: 400,
  client_gone: 0,
  has_unknown: 0,
  verdicts: 0,
  unknown_sources: 0,
});
const call = callRow({
  transaction_id: "trx_1",
  ordinal: 0,
  source: "acme__people",
  source_version: "fEdCbA_123456789",
  success: 1,
  match: 1,
  charged: "yes",
  charges: 2,
  credential_id: "cred_1",
  credential_rule: "default",
  started_after_ms: 0,
  took_ms: 200,
  output_bytes: 10,
});
const second = callRow({
  ...call,
  ordinal: 1,
  source: "bell__phone",
  source_version: null,
  success: 0,
  match: 0,
  fault_code: "source.timeout",
  fault_kind: "timeout",
  charged: "unknown",
  started_after_ms: 200,
  took_ms: 190,
});
const attempt = attemptRow({
  transaction_id: "trx_1",
  ordinal: 1,
  number: 1,
  origin: "https://bell.example",
  method: "POST",
  sent_at: run.started_at + 205,
  charged: "unknown",
  price: 350_000,
  currency: "EUR",
});

function render(changes: Partial<RunReportRow> = {}): string {
  const row = { run, calls: [call, second], attempts: [attempt], reconciliations: [], ...changes };
  return renderTimeline(row, (kind) => (kind === "function" ? 12 : null));
}

test("the timeline of a run shows what happened", () => {
  assert.equal(
    render(),
    `trx_1  func dfunc_contact
  started   2026-03-01T12:00:00.000Z
  caller    org_a  wfl_a  tok_a
  version   12 (aBcDeF)
  build     1.2.0
  where     prod, eu
  ended     after 400 ms; 2 calls, 1 failed
  charged   1 request: 0 yes, 0 no, 1 unknown

  acme__people |████████████████████████                        |    200 ms  match
                 version fEdCbA
                 credential cred_1 (default)
                 call 0: charged yes
  bell__phone  |                        xxxxxxxxxxxxxxxxxxxxxxx |    190 ms  failed: timeout
                 began at 200 ms, after acme__people had ended
                 the answer waited for this one last
                 credential cred_1 (default)
                 1. POST https://bell.example at 205 ms: no answer, charged unknown (0.00 to 0.35 EUR)
                 call 1: charged unknown (source.timeout)

                0                                         400 ms
`,
  );
});

test("a run from before versions were recorded says so, unless it used no code", () => {
  const older = { ...run, function_version: null, build: null };
  const calls = [{ ...call, source_version: null }, second];
  const says = /version {3}before versions were recorded/;
  assert.match(render({ run: older, calls }), says);
  assert.match(render({ run: older, calls: [], attempts: [] }), says);
  const unknown = { ...older, function_fault: "function.unknown" };
  for (const run of [unknown, { ...older, function_id: null }])
    assert.doesNotMatch(render({ run, calls: [], attempts: [] }), says);
});

test("the timeline of a run that the service did not survive says so, and invents no durations for its calls", () => {
  const unknown = {
    ...call,
    success: null,
    match: null,
    charged: "unknown",
    started_after_ms: null,
    took_ms: null,
  } as const;
  const text = render({ run: { ...run, state: "unknown", took_ms: null }, calls: [unknown], attempts: [] });
  assert.match(text, /the service died while this run was under way/);
  assert.match(text, /\|\?+\| +\? ms {2}unknown/);
});

test("a run without calls, and one with odd times and long names, are drawn all the same", () => {
  assert.match(render({ calls: [], attempts: [] }), /no source was called/);
  const odd = { ...call, source: "x".repeat(500), started_after_ms: 9_000, took_ms: 0 };
  for (const line of render({ calls: [odd], attempts: [] }).split("\n")) assert.ok(line.length < 120, line);
});

test("what was settled later is shown under its call", () => {
  const settled = {
    transaction_id: "trx_1",
    ordinal: 1,
    revision: 1,
    attempt: 1,
    charged: "no",
    decided_by: "ada",
    decided_at: run.started_at,
    note: "not on the invoice",
    price: null,
    currency: null,
  } as const;
  assert.match(
    render({ reconciliations: [settled] }),
    /settled as no for request 1 by ada on 2026-03-01T12:00:00.000Z: not on the invoice/,
  );
});

test("what a request cost is shown: an amount, a range, or nothing at all", () => {
  assert.match(render(), /charged unknown \(0\.00 to 0\.35 EUR\)/);
  assert.match(render({ attempts: [{ ...attempt, charged: "yes" }] }), /charged yes 0\.35 EUR/);
  assert.doesNotMatch(render({ attempts: [{ ...attempt, charged: "no" }] }), /0\.35/);
  assert.match(render({ attempts: [{ ...attempt, price: null, currency: null }] }), /charged unknown$/m);
});

test("a run of thousands of calls and requests is drawn as fast as it is long, and not all requests of a call are", () => {
  const calls = Array.from({ length: 4_000 }, (_, at) => ({ ...call, ordinal: at, started_after_ms: at * 200 }));
  const attempts = calls.flatMap(({ ordinal }) =>
    Array.from({ length: 25 }, (_, at) => ({ ...attempt, ordinal, number: at + 1 })),
  );
  const before = process.cpuUsage().user;
  const text = render({ calls, attempts });
  // A comparison of each call with every other call and every request would take 5 s of processor time.
  const tookMs = (process.cpuUsage().user - before) / 1_000;
  assert.ok(tookMs < 2_000, `${tookMs} ms`);
  assert.equal(text.match(/and 5 more requests/g)?.length, 4_000);
  assert.equal(text.match(/after acme__people had ended/g)?.length, 3_999);
});
