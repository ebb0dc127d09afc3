import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunnableSource } from "../../run/ports.ts";
import { FakeClock, settle } from "../../terms/time/clock.kit.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { type Called, type ProvableSource, PAUSE_MS, type ProveParts, proveSources } from "./prove-sources.ts";

const candidate = (id: string, origin: string, cost: number | "unknown" = 0, currency = "EUR"): ProvableSource => ({
  source: { id, declaration: { origins: [origin] } } as unknown as RunnableSource,
  cost: cost === 0 ? "nothing" : cost === "unknown" ? cost : { amount: BigInt(cost), currency },
});

const RECORD: Called = {
  outcome: "record",
  message: null,
  spent: null,
  requests: 1,
  differences: [],
  proof: { digest: "d", date: "2025-10-09", build: "v1", match: true, replies: [], output: {} },
};

function started(candidates: readonly ProvableSource[], changes: Partial<ProveParts> = {}) {
  const clock = new FakeClock();
  const log: string[] = [];
  const done = proveSources(candidates, {
    clock,
    most: undefined,
    async call({ id }) {
      log.push(id);
      const costs = candidates.find(({ source }) => source.id === id)!.cost;
      return { ...RECORD, spent: typeof costs === "string" ? null : costs };
    },
    async agree({ id }, price) {
      log.push(`${id}: ${price}`);
      return true;
    },
    keep: (id) => log.push(`${id} is kept`),
    onCalled: () => {},
    ...changes,
  });
  const said = async () =>
    (await done).map(({ source, state, message }) => [source, state, message].filter(Boolean).join(" "));
  return { clock, log, done, said };
}

test("one vendor is called at a time, and the same one again only after a pause", async () => {
  const { clock, log, done } = started([
    candidate("a__1", "https://a"),
    candidate("a__2", "https://a"),
    candidate("b__1", "https://b"),
  ]);
  await settle();
  assert.deepEqual(log, ["a__1", "a__1 is kept"]);
  await clock.advance(PAUSE_MS - 1);
  assert.equal(log.length, 2);
  await clock.advance(1);
  await done;
  assert.deepEqual(log.slice(2), ["a__2", "a__2 is kept", "b__1", "b__1 is kept"]);
});

test("free vendors are called first, then the cheapest, and the price is shown before each billed call", async () => {
  const { log, said } = started(
    [
      candidate("a__unpriced", "https://a", "unknown"),
      candidate("b__dear", "https://b", 900_000),
      candidate("c__cheap", "https://c", 50_000),
      candidate("d__free", "https://d"),
    ],
    { keep: () => {} },
  );
  await said();
  assert.deepEqual(log, [
    "d__free",
    "c__cheap: at most 0.05 EUR",
    "c__cheap",
    "b__dear: at most 0.90 EUR",
    "b__dear",
    "a__unpriced: billed, without a known price",
    "a__unpriced",
  ]);
});

test("a call that could exceed --max-cost is not made, nor is one without a price or in another currency", async () => {
  const { log, said } = started(
    [
      candidate("a__one", "https://a", 300_000),
      candidate("b__two", "https://b", 400_000),
      candidate("c__three", "https://c", 400_000),
      candidate("d__dollars", "https://d", 10_000, "USD"),
      candidate("e__unpriced", "https://e", "unknown"),
    ],
    { most: { amount: 1_000_000n, currency: "EUR" }, keep: () => {}, agree: async () => true },
  );
  assert.deepEqual(await said(), [
    "d__dollars skipped at most 0.01 USD, and --max-cost is in EUR",
    "a__one proved",
    "b__two proved",
    "c__three skipped at most 0.40 EUR, and 0.30 EUR is left of --max-cost",
    "e__unpriced skipped billed, without a known price, and --max-cost is given",
  ]);
  assert.deepEqual(log, ["a__one", "b__two"]);
});

test("a billed call that nobody agrees to is not made", async () => {
  const { log, said } = started([candidate("a__one", "https://a", 300_000)], { agree: async () => false });
  assert.deepEqual(await said(), ["a__one skipped at most 0.30 EUR: not agreed; --yes agrees to all"]);
  assert.deepEqual(log, []);
});

test("a reply without a record is kept and is a failure, and a failed call leaves no proof", async () => {
  const kept: string[] = [];
  const { said } = started(
    ["a__nobody", "b__failed", "c__keyless", "d__refused"].map((id) => candidate(id, `https://${id}`)),
    {
      keep: (id, { match }) => kept.push(`${id} ${match}`),
      async call({ id }) {
        if (id === "a__nobody") return { ...RECORD, outcome: "no record", proof: { ...RECORD.proof!, match: false } };
        if (id === "b__failed") return { ...RECORD, outcome: "vendor_5xx", message: "it failed", proof: null };
        if (id === "d__refused") throw new OperatorError("refused", "the budget is used up");
        return { ...RECORD, outcome: "credential", requests: 0, proof: null };
      },
    },
  );
  assert.deepEqual(await said(), [
    "a__nobody failed",
    "b__failed failed it failed",
    "c__keyless skipped no credential of the organization is usable",
    "d__refused skipped the budget is used up",
  ]);
  assert.deepEqual(kept, ["a__nobody false"]);
});

test("a proof is kept before the next vendor is called, however the command ends", async () => {
  const kept: string[] = [];
  const { done } = started([candidate("a__1", "https://a"), candidate("b__1", "https://b")], {
    keep: (id) => kept.push(id),
    async call({ id }) {
      if (id === "b__1") throw new Error("the power is gone");
      return RECORD;
    },
  });
  await assert.rejects(done, /the power is gone/);
  assert.deepEqual(kept, ["a__1"]);
});
