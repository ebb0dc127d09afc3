import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../terms/json/json.ts";
import { withLiveTests } from "./live-charges.ts";
import type { AuditEntry } from "../ports.ts";

const TO = 1_000;
const RUNS = {
  source: "acme__people",
  organization_id: "org_a",
  credential_id: "cred_a",
  credential: "stored",
  requests: 3,
  charged_yes: 2,
  charged_no: 1,
  charged_unknown: 0,
  currency: "EUR",
  least: 700_000n,
  most: 700_000n,
  unpriced: 0,
} as const;

let made = 0;
function entry(wallAt: number, detail: JsonObject, subjectId = "acme__people"): AuditEntry {
  made += 1;
  return {
    id: `aud_${made}`,
    wallAt,
    who: "ada",
    via: "cli",
    what: "source test",
    organizationId: "org_a",
    subjectId,
    detail,
  };
}
const about = (id: string, wallAt: number, cred: string | null = "cred_a") =>
  entry(wallAt, { transaction_id: id, cred_id: cred, state: "about to ask" });
const COST = { currency: "EUR", amount: "0.35", amount_at_most: "0.70", unpriced: 0 };
const asked = (id: string, wallAt: number, charges: JsonObject, cred: string | null = "cred_a") =>
  entry(wallAt, { transaction_id: id, cred_id: cred, state: "asked", charges, cost: COST });

test("requests of a live test are counted in the line of its credential, and also shown separately", () => {
  const entries = [about("t1", 1), asked("t1", 2, { yes: 1, no: 1 })];
  assert.deepEqual(withLiveTests([RUNS], entries, TO), [
    { ...RUNS, requests: 5, charged_yes: 3, charged_no: 2, live_tests: 2, least: 1_050_000n, most: 1_400_000n },
  ]);
});

test("a test that was interrupted has no price and its own line", () => {
  const lines = withLiveTests([RUNS], [about("t2", 3)], TO);
  assert.deepEqual(
    lines.map((line) => [line.currency, line.requests, line.unpriced, line.least]),
    [
      [null, 1, 1, 0n],
      ["EUR", 3, 0, 700_000n],
    ],
  );
});

test("a credential that no run has used gets its own line, and so do requests without a credential", () => {
  const entries = [
    about("t1", 1, null),
    asked("t1", 2, { yes: 1 }, "cred_b"),
    about("t2", 3, null),
    asked("t2", 4, { unknown: 1 }, null),
  ];
  const lines = withLiveTests([RUNS], entries, TO);
  assert.deepEqual(
    lines.map((line) => [line.credential_id, line.credential, line.requests, line.live_tests]),
    [
      [null, "none", 1, 1],
      ["cred_a", "stored", 3, 0],
      ["cred_b", "stored", 1, 1],
    ],
  );
});

test("an interrupted test is unknown, one that sent nothing has no line, one of the next month is not counted", () => {
  const broken = withLiveTests([], [about("t1", 1)], TO);
  assert.deepEqual(
    broken.map((line) => [line.requests, line.charged_unknown, line.live_tests]),
    [[1, 1, 1]],
  );
  assert.deepEqual(withLiveTests([], [about("t1", 1), asked("t1", 2, {})], TO), []);
  assert.deepEqual(withLiveTests([], [about("t1", TO), asked("t1", TO + 1, { yes: 1 })], TO), []);
  const overTheEnd = withLiveTests([], [about("t1", TO - 1), asked("t1", TO + 5, { yes: 1 })], TO);
  assert.deepEqual(
    overTheEnd.map((line) => line.charged_yes),
    [1],
  );
  const ofTheMonthBefore = [asked("t0", 1, { yes: 1 })];
  assert.deepEqual(withLiveTests([], ofTheMonthBefore, TO), []);
});
