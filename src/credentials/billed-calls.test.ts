import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallReport } from "../run/ports.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import type { Charged } from "../terms/fault.ts";
import type { PriceTerm } from "../terms/money/price.ts";
import { BilledCalls } from "./billed-calls.ts";
import type { CallCounts } from "./ports.ts";
import { MemoryStore } from "./memory-store.kit.ts";

const basic: PriceTerm = { amount: 10n, currency: "EUR", fromWallAt: 0, above: 0, per: null, timeZone: "UTC" };
const TERMS = [basic, { ...basic, above: 3, amount: 8n }];

/** A replica with its own clock. `price`: the price of the next request; `call`: a call charged at it. */
async function replica(counts: CallCounts, clock: FakeClock, terms: readonly PriceTerm[] = TERMS) {
  const billedCalls = new BilledCalls({ counts, clock });
  const prices = await billedCalls.open("cred_1", terms);
  const price = () => prices.at(clock.wall())?.amount;
  const call = (charged: Charged, simulated = false) => {
    const attempts = [{ charged, sentWallAt: clock.wall() }];
    billedCalls.runEnded({ simulated, calls: [{ credentialId: "cred_1", attempts } as unknown as CallReport] });
  };
  return { billedCalls, price, call };
}

test("a step holds from the first call beyond its number, and only what is billed counts", async () => {
  const { price, call } = await replica(new MemoryStore(), new FakeClock());
  for (const charged of ["yes", "no", "unknown", "yes"] as const) call(charged);
  call("yes", true);
  assert.equal(price(), 10n);
  call("yes");
  assert.equal(price(), 8n);
});

test("replicas count together, and a new one begins with what the others have billed", async () => {
  const [counts, clock] = [new MemoryStore(), new FakeClock()];
  const [one, other] = [await replica(counts, clock), await replica(counts, clock)];
  one.call("yes");
  one.call("yes");
  other.call("yes");
  await clock.advance(1_000);
  other.call("no");
  assert.equal((await replica(counts, clock)).price(), 8n);
  await one.billedCalls.close();
});

test("a calendar month begins again at nothing, in the time zone of the contract", async () => {
  const [counts, clock] = [new MemoryStore(), new FakeClock()];
  // The clock stands at 2025-10-09. November starts an hour earlier in Berlin than in UTC.
  const zoned = TERMS.map((term) => ({ ...term, timeZone: "Europe/Berlin" }));
  const { price, call } = await replica(counts, clock, zoned);
  for (let at = 0; at < 3; at += 1) call("yes");
  assert.equal(price(), 8n);
  await clock.advance(Date.parse("2025-10-31T22:59:59.999Z") - clock.wall());
  assert.equal(price(), 8n);
  await clock.advance(1);
  assert.equal(price(), 10n);
  await clock.advance(0);
  assert.deepEqual(
    [...counts.billed],
    [
      ["cred_1 1759269600000", 3],
      ["cred_1 1761951600000", 0],
    ],
  );
});

test("calls of a month that ends while others are being added are added too", async () => {
  const [{ store, slow, hold, go }, clock] = [slowStore(), new FakeClock()];
  const { price, call } = await replica(slow, clock);
  await clock.advance(Date.parse("2025-10-31T23:59:58Z") - clock.wall());
  hold();
  call("yes");
  await clock.advance(1_000);
  call("yes");
  await clock.advance(1_000);
  assert.equal(price(), 10n);
  go();
  await clock.advance(0);
  await clock.advance(0);
  assert.equal(store.billed.get("cred_1 1759276800000"), 2);
});

/** A store whose answers the test controls. */
function slowStore() {
  const store = new MemoryStore();
  let answer = Promise.withResolvers<void>();
  answer.resolve();
  const slow = {
    addCalls: async (...added: Parameters<MemoryStore["addCalls"]>) => {
      await answer.promise;
      return store.addCalls(...added);
    },
  };
  const hold = () => (answer = Promise.withResolvers());
  return { store, slow, hold, go: () => answer.resolve() };
}

test("closing waits for an addition in progress, and adds what was billed since", async () => {
  const [{ store, slow, hold, go }, clock] = [slowStore(), new FakeClock()];
  const { billedCalls, call } = await replica(slow, clock);
  hold();
  call("yes");
  await clock.advance(1_000);
  call("yes");
  call("yes");
  const closed = billedCalls.close();
  go();
  await closed;
  assert.deepEqual([...store.billed.values()], [3]);
});

test("what was billed during a long addition is added a second later", async () => {
  const [{ store, slow, hold, go }, clock] = [slowStore(), new FakeClock()];
  const { call } = await replica(slow, clock);
  hold();
  call("yes");
  await clock.advance(1_000);
  call("yes");
  await clock.advance(1_000);
  go();
  await clock.advance(1_000);
  assert.deepEqual([...store.billed.values()], [2]);
});

test("calls of a month that ended while the store was away are added when it is back", async () => {
  const [store, clock] = [new MemoryStore(), new FakeClock()];
  const { price, call } = await replica(store, clock);
  await clock.advance(Date.parse("2025-10-31T23:59:58Z") - clock.wall());
  store.mode = "fails";
  call("yes");
  await clock.advance(3_000);
  assert.equal(price(), 10n);
  store.mode = "up";
  await clock.advance(1_000);
  assert.equal(store.billed.get("cred_1 1759276800000"), 1);
});

test("without the store a replica counts for itself, and adds everything once the store is back", async () => {
  const [counts, clock] = [new MemoryStore(), new FakeClock()];
  const { price, call } = await replica(counts, clock);
  counts.mode = "fails";
  for (let at = 0; at < 3; at += 1) call("yes");
  await clock.advance(5_000);
  assert.equal(price(), 8n);
  counts.mode = "up";
  await clock.advance(1_000);
  assert.deepEqual([...counts.billed.values()], [3]);
});

test("credentials without steps are not counted", async () => {
  const [counts, clock] = [new MemoryStore(), new FakeClock()];
  const { price, call } = await replica(counts, clock, [basic]);
  call("yes");
  await clock.advance(2_000);
  assert.deepEqual([price(), counts.billed.size, clock.timers], [10n, 0, 0]);
});
