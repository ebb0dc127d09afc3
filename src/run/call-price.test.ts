import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChargeModel } from "../terms/money/charge.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import type { PriceTerm } from "../terms/money/price.ts";
import { Secret } from "../terms/secret.ts";
import { makeCall } from "./call.kit.ts";
import { endCall, reportCall } from "./fan-out.ts";
import type { Billing, ResolvedCredential } from "./ports.ts";

const LIST = { amount: 500_000n, currency: "EUR" };
const CHANGES_AT = 1_760_000_001_500;

/** A contract whose price changes half a second after the clock's first moment. */
function credentialWith(per: ChargeModel | null = null): ResolvedCredential {
  const at = (wallAt: number): PriceTerm => {
    const amount = wallAt < CHANGES_AT ? 350_000n : 280_000n;
    return { amount, currency: "USD", fromWallAt: 0, above: 0, per, timeZone: "UTC" };
  };
  return { credentialId: "cred_1", rule: "named", fields: new Secret({}), scope: "org_1/cred_1/1", prices: { at } };
}

function send(credential: ResolvedCredential | null, billing: Partial<Billing> = {}, clock = new FakeClock()) {
  const call = makeCall();
  if (credential !== null) call.takeCredential(credential);
  const planned = call.planAttempt(
    {
      origin: "https://api.acme.example",
      method: "GET",
      billing: { free: false, model: "per_call", listPrice: LIST, ...billing },
      reserved: null,
      spanId: undefined,
    },
    clock,
  );
  const attempt = planned.begin();
  const report = () => {
    attempt.answered(200, true);
    attempt.end();
    return reportCall(endCall({ call, source: undefined }, { match: false, json: "{}" }, clock)).attempts[0]!;
  };
  return { intent: planned.intent, attempt, report };
}

test("the price of the credential holds; without one, the list price of the source", () => {
  const { price } = send(credentialWith()).intent;
  assert.deepEqual([price?.amount, price?.currency], [350_000n, "USD"]);
  assert.equal(send(null).intent.price, LIST);
  assert.equal(send({ ...credentialWith(), prices: { at: () => null } }).intent.price, LIST);
  assert.equal(send({ ...credentialWith(), prices: null }).intent.price, LIST);
  assert.equal(send(null, { listPrice: null }).intent.price, null);
});

test("a request costs what held when it was sent, whatever changes while it waits for its reply", async () => {
  const clock = new FakeClock();
  const before = send(credentialWith(), {}, clock);
  await clock.advance(1_000);
  const after = send(credentialWith(), {}, clock);
  assert.equal(before.intent.price?.amount, 350_000n);
  assert.equal(before.report().price?.amount, 350_000n);
  assert.equal(after.intent.price?.amount, 280_000n);
});

test("a reply can show what the source lists, but not change what the contract says", () => {
  const listed = send(null);
  listed.attempt.listAs({ amount: 100_000n, currency: "EUR" });
  assert.deepEqual([listed.intent.price?.amount, listed.report().price?.amount], [500_000n, 100_000n]);
  const agreed = send(credentialWith());
  agreed.attempt.listAs({ amount: 100_000n, currency: "EUR" });
  assert.equal(agreed.report().price?.amount, 350_000n);
});

test("what the contract bills decides the charge, also for a source that is declared free", () => {
  assert.equal(send(credentialWith("per_match")).attempt.per, "per_match");
  assert.equal(send(credentialWith("per_call"), { model: "free" }).intent.free, false);
  assert.equal(send(credentialWith(), { model: "free" }).intent.free, true);
  assert.equal(send(credentialWith("per_call"), { free: true }).intent.free, true, "a login stays free");
});
