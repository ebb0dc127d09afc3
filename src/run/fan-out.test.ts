import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import type { ChargeModel } from "../terms/money/charge.ts";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import { fanOut, reportCall, type Outcome } from "./fan-out.ts";
import { beginAttempt, makeRun } from "./call.kit.ts";
import { planCall, type PlannedSource } from "./call.ts";
import type { CallResult, RunnableSource } from "./ports.ts";

const held = unlimitedMemory();
const RUN = makeRun({ arrivedAt: 0, memory: held });

function plan(ids: readonly string[], charge: ChargeModel = "per_call"): PlannedSource[] {
  const source = { timeoutMs: 1_000, leavesMachine: true, charge } as RunnableSource;
  return ids.map((id, ordinal) => ({
    source,
    call: planCall(RUN, { id, ordinal, entry: true, inputs: {}, source, startedAt: 0, from: 0 }),
  }));
}

/** Produces outputs of these sizes in this order. */
async function outcomesOf(sizes: readonly number[], order: readonly number[], bytesMax: number) {
  const arrive = new Map<string, (answer: CallResult) => void>();
  const all = fanOut(
    plan(sizes.map((_, slot) => String(slot))),
    (_, call) => new Promise((resolve) => arrive.set(call.id, resolve)),
    new FakeClock(),
    bytesMax,
  );
  let most = 0;
  for (const slot of order) {
    arrive.get(String(slot))!({ match: true, json: "x".repeat(sizes[slot]!) });
    await settle();
    most = Math.max(most, held.bytes);
  }
  return { outcomes: await all, most };
}

const kept = (outcomes: readonly Outcome[]) =>
  outcomes.map(({ result }) => (result instanceof Fault ? "failed" : String(result.json).length));

test("above the limit of the whole answer the largest outputs fail, and no more than necessary", async () => {
  const sizes = async (bytesMax: number) => kept((await outcomesOf([10, 50, 40], [0, 1, 2], bytesMax)).outcomes);
  assert.deepEqual(await sizes(100), [10, 50, 40]);
  assert.deepEqual(await sizes(99), [10, "failed", 40]);
  assert.deepEqual(await sizes(20), [10, "failed", "failed"]);
});

test("which outputs fail depends on their sizes and positions, never on the order in which they arrived", async () => {
  const sizes = fc.array(fc.integer({ min: 2, max: 60 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      sizes.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
      ),
      fc.integer({ min: 20, max: 200 }),
      async ([list, order], bytesMax) => {
        held.shrinkTo(0);
        const came = await outcomesOf(list, order, bytesMax);
        assert.ok(came.most <= bytesMax, "nor is more held on the way");
        held.shrinkTo(0);
        assert.deepEqual(kept(came.outcomes), kept((await outcomesOf(list, [...list.keys()], bytesMax)).outcomes));
      },
    ),
    { numRuns: 60 },
  );
});

test("sizes are bytes: ten letters of three bytes each are thirty", async () => {
  const json = JSON.stringify({ name: "漢".repeat(10) });
  const [outcome] = await fanOut(plan(["a"]), async () => ({ match: true, json }), new FakeClock(), 30);
  assert.ok(outcome!.result instanceof Fault);
  const [fits] = await fanOut(plan(["a"]), async () => ({ match: true, json }), new FakeClock(), 41);
  assert.equal(fits!.outputBytes, 41);
  assert.equal(reportCall(fits!).outputBytes, 41);
});

test("a vendor's answer is charged even if there was no memory for it", async () => {
  for (const [charge, match, charged] of [
    ["per_call", true, "yes"],
    ["per_match", true, "yes"],
    ["per_match", false, "no"],
    ["free", true, "no"],
  ] as const) {
    const [outcome] = await fanOut(
      plan(["a"], charge),
      async (_, call) => {
        const attempt = beginAttempt(call, new FakeClock());
        attempt.answered(200, true);
        attempt.end();
        return { match, json: "x".repeat(100) };
      },
      new FakeClock(),
      50,
    );
    const report = reportCall(outcome!);
    assert.deepEqual([report.fault?.code, report.charged], ["source.contract", charged], `${charge} ${match}`);
  }
});
