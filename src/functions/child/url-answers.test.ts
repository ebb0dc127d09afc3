import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { preparePrelude } from "../load/bundle-cache.ts";
import { NOT_NOW } from "../inside/bridge-limits.ts";
import type { FromChild } from "../pool/messages.ts";
import { createUrlAnswers } from "./url-answers.ts";
import { startRun, type ChildRun } from "./child-run.ts";
import { createSlots } from "./slots.ts";

test("one tick of the event loop answers for some milliseconds only, and the next tick continues", async () => {
  const answers = createUrlAnswers();
  const ask = () => answers("url", "https://a.example/b", "", "");
  let answered = 0;
  while (ask() !== NOT_NOW) answered += 1;
  assert.ok(answered > 0);
  assert.equal(ask(), NOT_NOW);
  await new Promise((turned) => setImmediate(turned));
  assert.equal(JSON.parse(ask()!).pathname, "/b");
});

test("while 16 isolates send requests without end, the event loop of their process runs and receives the end of a run", async () => {
  const slots = createSlots();
  slots.setPrelude(await preparePrelude(undefined));
  const run = "() => { for (;;) try { new URL('https://a.example/'); } catch {} }";
  slots.addBundle("hog", `__take(function () { return { default: { run: ${run} } }; });`, null);
  const heard: FromChild[] = [];
  const left: Promise<void>[] = [];
  const runs: ChildRun[] = Array.from({ length: 16 }, (_, id) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    left.push(promise);
    const job = {
      type: "run",
      id,
      what: "start",
      isolate: `org/${id}`,
      bundle: "hog",
      memoryMb: 64,
      argument: "{}",
    } as const;
    return startRun(job, slots, (message) => void heard.push(message), resolve);
  });
  // If the event loop did nothing but answer, this loop would never end.
  for (let turn = 0; turn < 50; turn += 1) await sleep(1);
  for (const each of runs) each.end();
  await Promise.all(left);
  assert.deepEqual(new Set(heard.map(({ type }) => type)), new Set(["ended"]));
});
