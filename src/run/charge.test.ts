import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault, type Charged } from "../terms/fault.ts";
import { chargeOf, settleAttempts } from "./charge.ts";
import type { ChargeTerms } from "./fan-out.ts";
import type { Answer, Attempt } from "./ports.ts";

const FOUND: Answer = { match: true, json: "{}" };
const REJECTED = new Fault("source.credential_rejected");

/** Requests in order, each by the status that it was answered with; `free` for a login that was answered. */
function charges(
  answered: readonly (number | null | "free")[],
  result: Answer | Fault,
  terms: ChargeTerms = "per_call",
) {
  const attempts = answered.map((status, index): Attempt => ({
    number: index + 1,
    origin: "https://api.acme.example",
    method: "GET",
    sentWallAt: 0,
    sentAt: 0,
    status: status === "free" ? 200 : status,
    tookMs: null,
    charged: status === "free" ? "no" : "unknown",
  }));
  const call = chargeOf(result, attempts, terms);
  settleAttempts(attempts, call, terms);
  return [call, ...attempts.map(({ charged }) => charged)];
}

test("a call is surely free only if nothing that was answered can be on the invoice", () => {
  const cases: readonly (readonly [string, readonly Charged[], readonly Charged[]])[] = [
    ["nothing was sent", charges([], REJECTED), ["no"]],
    ["refused at once", charges([401], REJECTED), ["no", "no"]],
    ["a search that was answered, then a refusal", charges([200, 401], REJECTED), ["unknown", "unknown", "unknown"]],
    ["a refusal while another request was under way", charges([401, null], REJECTED), ["unknown", "no", "unknown"]],
    ["a login, then a refusal", charges(["free", 401], REJECTED), ["no", "no", "no"]],
    ["a login that was all", charges(["free"], new Fault("source.timeout")), ["no", "no"]],
    ["a refusal, a new login, a record", charges([401, "free", 200], FOUND), ["yes", "no", "no", "yes"]],
    ["a redirect that was followed", charges([302, 200], FOUND), ["yes", "no", "yes"]],
    ["two pages of a record", charges([200, 200], FOUND), ["yes", "unknown", "yes"]],
    ["two pages of a free register", charges([200, 200], FOUND, "free"), ["no", "no", "no"]],
  ];
  for (const [what, told, expected] of cases) assert.deepEqual(told, expected, what);
});
