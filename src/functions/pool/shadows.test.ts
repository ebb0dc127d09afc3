import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../terms/fault.ts";
import { startPool, type Tried } from "./pool.kit.ts";

const ANSWERS = "() => ({ output: {} })";
const NEVER_ENDS = "({ run }) => run('never')";
const LOOPS = "() => { for (;;); }";
/** Work inside V8 that nothing interrupts. */
const STUCK = "() => ({ n: [].indexOf.call({ length: 2 ** 53 - 1 }, 1) })";
const TAKES_MEMORY = "() => { const all = []; for (;;) all.push({ a: all.length }); }";
const SHADOW = { isShadow: true, limitMs: 20_000 };
const LONG = { limitMs: 30_000 };

function codeOf({ thrown }: Tried): string {
  return thrown instanceof Fault ? thrown.code : thrown === undefined ? "ok" : "no fault";
}

test("a shadow run has another process than the real runs of its organization", async (t) => {
  const { pool, attempt } = await startPool(t, { processes: 2 });
  assert.equal(codeOf(await attempt(ANSWERS, LONG)), "ok");
  assert.equal(codeOf(await attempt(ANSWERS, SHADOW)), "ok");
  assert.equal(pool.stats().assigned, 2);
});

test("a shadow run is dropped if organizations have all places, and its place is given up for an organization", async (t) => {
  const { pool, attempt, running } = await startPool(t, { processes: 2 });
  const first = attempt(NEVER_ENDS, LONG);
  await running(1);
  const shadow = attempt(NEVER_ENDS, SHADOW);
  await running(2);
  assert.equal(codeOf(await attempt(ANSWERS, { ...LONG, organizationId: "org_b" })), "ok");
  assert.equal(codeOf(await shadow), "function.overloaded");
  assert.equal(codeOf(await attempt(ANSWERS, SHADOW)), "function.overloaded");
  assert.equal(pool.stats().queued, 0);
  await pool.close();
  assert.equal(codeOf(await first), "function.raised");
});

test("no shadow run starts while a real run waits", async (t) => {
  const { pool, attempt, running } = await startPool(t, { processes: 1, runsPerProcess: 1 });
  const real = [attempt(NEVER_ENDS, LONG), attempt(ANSWERS, LONG)];
  await running(1);
  assert.equal(codeOf(await attempt(ANSWERS, SHADOW)), "function.overloaded");
  await pool.close();
  await Promise.all(real);
});

test("a shadow run that loops or takes all memory ends alone", async (t) => {
  const { pool, attempt } = await startPool(t, { processes: 3 });
  const asked = Promise.withResolvers<void>();
  const real = attempt(NEVER_ENDS, { ...LONG, onCall: () => asked.resolve() });
  await asked.promise;
  assert.equal(codeOf(await attempt(ANSWERS, SHADOW)), "ok");
  assert.equal(codeOf(await attempt(LOOPS, { ...SHADOW, limitMs: 2_500 })), "function.timeout");
  assert.equal(codeOf(await attempt(TAKES_MEMORY, SHADOW)), "function.memory");
  assert.equal(pool.stats().active, 1, "the real run");
  await pool.close();
  assert.equal(codeOf(await real), "function.raised");
});

test("a killed process of shadow runs is counted and logged apart", async (t) => {
  const { pool, attempt, lines, waitUntil } = await startPool(t, { processes: 3 });
  assert.equal(codeOf(await attempt(STUCK, { ...SHADOW, limitMs: 2_500 })), "function.timeout");
  await waitUntil(({ shadowsKilled }) => shadowsKilled === 1);
  assert.equal(pool.stats().killed, 0);
  assert.deepEqual(
    lines.map(({ event }) => event),
    ["shadow_process_killed"],
  );
});

test("shadow runs of a pool that closes are dropped", async (t) => {
  const { pool, attempt, running } = await startPool(t, { processes: 3 });
  const shadow = attempt("({ run }) => run('never')", SHADOW);
  await running(1);
  await pool.close();
  assert.notEqual(codeOf(await shadow), "ok");
});
