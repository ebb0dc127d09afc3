import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { UsedTokens } from "./used-tokens.ts";

type Use = { readonly tokenId: string; readonly wallAt: number };

function rig(pendingMax = 100) {
  const clock = new FakeClock();
  const batches: (readonly Use[])[] = [];
  const store = { mode: "up" as "up" | "fails" | "hangs" };
  const used = new UsedTokens(
    {
      markUsed: async (uses) => {
        if (store.mode === "fails") throw new Error("refused");
        if (store.mode === "hangs") await new Promise(() => {});
        batches.push(uses);
      },
    },
    clock,
    pendingMax,
  );
  return { clock, batches, store, used };
}

test("many uses are one batch with the latest time of each token", async () => {
  const { clock, batches, used } = rig();
  used.record("tok_a");
  used.record("tok_b");
  await clock.advance(5_000);
  used.record("tok_a");
  const latest = clock.wall();
  await clock.advance(4_999);
  assert.deepEqual(batches, []);
  await clock.advance(1);
  assert.deepEqual(batches, [
    [
      { tokenId: "tok_a", wallAt: latest },
      { tokenId: "tok_b", wallAt: latest - 5_000 },
    ],
  ]);
});

test("a timer runs only while something is pending", async () => {
  const { clock, used } = rig();
  assert.equal(clock.timers, 0);
  used.record("tok_a");
  used.record("tok_b");
  assert.equal(clock.timers, 1);
  await clock.advance(10_000);
  assert.equal(clock.timers, 0);
});

test("a use that the store refused is sent again, and does not overwrite a newer use", async () => {
  const { clock, batches, store, used } = rig();
  store.mode = "fails";
  used.record("tok_a");
  used.record("tok_b");
  const first = clock.wall();
  await clock.advance(10_000);
  store.mode = "up";
  used.record("tok_a");
  await clock.advance(10_000);
  assert.deepEqual(batches, [
    [
      { tokenId: "tok_a", wallAt: first + 10_000 },
      { tokenId: "tok_b", wallAt: first },
    ],
  ]);
});

test("a use during a batch that fails is the one that is sent", async () => {
  const { clock, batches, store, used } = rig();
  store.mode = "fails";
  used.record("tok_a");
  const failing = used.flush();
  clock.jumpWall(5);
  used.record("tok_a");
  await failing;
  store.mode = "up";
  await used.close();
  assert.deepEqual(batches, [[{ tokenId: "tok_a", wallAt: clock.wall() }]]);
});

test("a store that is down costs bounded memory", async () => {
  const { clock, store, used } = rig(3);
  store.mode = "fails";
  for (let token = 0; token < 50; token += 1) used.record(`tok_${token}`);
  await clock.advance(10_000);
  for (let token = 50; token < 99; token += 1) used.record(`tok_${token}`);
  assert.ok(used.pending <= 6);
});

test("closing sends what is pending and leaves no timer", async () => {
  const { clock, batches, used } = rig();
  used.record("tok_a");
  await used.close();
  assert.equal(batches.length, 1);
  used.record("tok_b");
  assert.equal(clock.timers, 0);
});

test("closing does not wait for ever for a store that hangs", async () => {
  const { clock, store, used } = rig();
  store.mode = "hangs";
  used.record("tok_a");
  const closed = used.close();
  await clock.advance(2_000);
  await closed;
});

test("two flushes at once send each use once", async () => {
  const { batches, used } = rig();
  used.record("tok_a");
  await Promise.all([used.flush(), used.flush(), used.close()]);
  await settle();
  assert.equal(batches.flat().length, 1);
});
