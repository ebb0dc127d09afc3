import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShadowResult } from "../admin/ports.ts";
import type { ShadowComparison } from "../run/ports.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { openShadowResults } from "./open-shadow-results.ts";

function rig() {
  const clock = new FakeClock();
  const stored: ShadowResult[][] = [];
  let isAway = false;
  const results = openShadowResults(
    {
      addShadowResults: async (added) => {
        if (isAway) throw new Error("away");
        stored.push([...added]);
      },
    },
    clock,
  );
  const compare = (transactionId: string, parts: Partial<ShadowComparison> = {}): void =>
    results.compared({
      workflowId: "wfl_a",
      functionId: "dfunc_x",
      version: "digest",
      transactionId,
      whole: "same",
      fields: new Map([["score", "same"]]),
      ...parts,
    });
  return {
    stored,
    results,
    compare,
    setAway: (away: boolean) => (isAway = away),
    pass: (ms: number) => clock.advance(ms),
    counted: () => Object.fromEntries([...results.outcomes()].filter(([, runs]) => runs > 0)),
  };
}

test("results are added to the store together, once a second", async () => {
  const { stored, compare, pass, counted } = rig();
  compare("trx_1");
  compare("trx_2", { whole: "different", fields: new Map([["score", "different"]]) });
  compare("trx_3", { whole: "different", fields: new Map([["score", "different"]]) });
  assert.deepEqual(counted(), {});
  await pass(1_000);
  assert.deepEqual(counted(), { compared: 3 });
  assert.deepEqual(
    stored.map((rows) =>
      rows.map(({ field, counts, transactionIds }) => [field, counts.same, counts.different, transactionIds]),
    ),
    [
      [
        ["", 1, 2, ["trx_3", "trx_2"]],
        ["score", 1, 2, ["trx_3", "trx_2"]],
      ],
    ],
  );
  compare("trx_4");
  await pass(1_000);
  assert.equal(stored.length, 2);
});

test("results are lost and counted while the store is away, and their number is bounded", async () => {
  const { stored, compare, pass, setAway, counted } = rig();
  setAway(true);
  compare("trx_1");
  await pass(1_000);
  setAway(false);
  const fields = new Map(Array.from({ length: 199 }, (_, at) => [`field ${at}`, "same"] as const));
  for (let run = 0; run < 40; run += 1) compare("trx_2", { version: `digest ${run}`, fields });
  await pass(1_000);
  assert.deepEqual(counted(), { compared: 25, not_stored: 16 });
  assert.equal(stored[0]!.length, 5_000);
});

test("the last results are stored at the end, and later ones are not", async () => {
  const { stored, results, compare, counted } = rig();
  compare("trx_1");
  await results[Symbol.asyncDispose]();
  compare("trx_2");
  results.dropped("busy");
  assert.equal(stored.length, 1);
  assert.deepEqual(counted(), { compared: 1, busy: 1, stopping: 1 });
});
