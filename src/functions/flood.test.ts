import assert from "node:assert/strict";
import { test } from "node:test";
import { startPool } from "./pool/pool.kit.ts";

/** Longer than the test: the pool ends these runs. */
const FLOOD_MS = 3_600_000;
const INNOCENT = `async ({ run, pipe }) => {
  await run("wait_100");
  return { output: await pipe("p", () => ({ path: new URL("https://b.example/c").pathname })) };
}`;

/** Endless requests to the process itself. */
const ASKS: readonly string[] = [
  "() => { const v = new Uint8Array(65536); for (;;) crypto.getRandomValues(v); }",
  "() => { for (;;) crypto.randomUUID(); }",
  "() => { for (;;) try { new URL('https://a.example/'); } catch {} }",
  "() => { const u = new URL('https://a.example/'); for (;;) try { u.pathname = 'ü'.repeat(1000); } catch {} }",
];

/** Endless messages to the service. */
const MESSAGES: readonly string[] = [
  "async ({ run }) => { const a = 'x'.repeat(1e6); for (;;) await Promise.allSettled(Array.from({ length: 8 }, () => run('wait_1', { a }))); }",
  "() => new Promise(() => { for (let at = 0; at < 90; at++) setInterval(() => {}, 1); })",
  "async ({ pipe }) => { for (;;) await pipe('p', () => 'x'.repeat(10000)).catch(() => {}); }",
  "({ log }) => { for (;;) log.info('x'.repeat(2000)); }",
];

test("whatever an organization's runs ask of their process or send to the service, another organization is served", async (t) => {
  const rig = await startPool(t, { processes: 2, memoryMb: 4_000 });
  const hogs = [...ASKS, ...MESSAGES].flatMap((run) =>
    [1, 2].map(() => rig.attempt(run, { organizationId: "org_hog", limitMs: FLOOD_MS })),
  );
  for (let round = 0; round < 3; round += 1) {
    const { thrown, json, tookMs } = await rig.attempt(INNOCENT, {
      organizationId: "org_innocent",
      limitMs: FLOOD_MS,
    });
    t.diagnostic(`round ${round}: ${tookMs.toFixed(0)} ms`);
    assert.equal(thrown, undefined, String(thrown));
    assert.deepEqual(JSON.parse(json!), { output: { path: "/c" } });
  }
  await rig.pool.close();
  await Promise.all(hogs);
});
