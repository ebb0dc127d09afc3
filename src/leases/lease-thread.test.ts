import type { SharedLimit } from "../run/around/ports.ts";
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { FakeClock } from "../terms/clock.kit.ts";
import { systemClock } from "../terms/clock.ts";
import { MemoryLeases } from "./deployment.kit.ts";
import { grantMore } from "./grant.ts";
import { openLeaseThread } from "./lease-thread.ts";
import type { LeaseAsk } from "./ports.ts";

const LIMIT: SharedLimit = { name: "rate", max: 5, everyMs: 1_000, useMsMax: 0 };
const NAMES = { limit: LIMIT, lease: "s1/1", process: "p1", turn: 1 };
const ASK: LeaseAsk = { ...NAMES, held: [], need: 1, spare: 0, ahead: 0, isDurable: false };

/** A thread of this code, with `port` as its end. Counts what is asked of the store that serves meanwhile. */
function openThread(t: TestContext, code: string) {
  let meanwhile = 0;
  const store = new MemoryLeases(new FakeClock().wall);
  const thread = openLeaseThread({
    entry: new URL(
      `data:text/javascript,${encodeURIComponent(`import { parentPort as port } from "node:worker_threads";${code}`)}`,
    ),
    workerData: null,
    clock: systemClock,
    meanwhile: {
      exchange: (asks, rule) => {
        meanwhile += 1;
        return store.exchange(asks, rule);
      },
      freeUnits: (...names) => store.freeUnits(...names),
    },
  });
  t.after(() => thread.close());
  return { ask: () => thread.exchange([ASK], grantMore), meanwhile: () => meanwhile };
}

/** Asks until the thread answers. */
async function untilServed(ask: () => Promise<unknown>, meanwhile: () => number): Promise<unknown> {
  for (;;) {
    const before = meanwhile();
    const answers = await ask();
    if (meanwhile() === before) return answers;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("asks are answered while the thread starts, and by the thread from then on", async (t) => {
  const { ask, meanwhile } = openThread(
    t,
    `port.on("message", ({ is, number, asks }) => {
       if (is === "end") return port.close();
       port.postMessage({ is: "done", number, answers: asks.map(({ lease }) => ({ lease })) });
     });
     port.postMessage({ is: "ready" });`,
  );
  assert.equal((await ask())?.[0]!.grants[0]!.amount, 1);
  assert.deepEqual(await untilServed(ask, meanwhile), [{ lease: "s1/1" }]);
});

test("an ask fails with what its store says, and with the end of its thread; the next one is answered", async (t) => {
  const { ask, meanwhile } = openThread(
    t,
    `let asks = 0;
     port.on("message", ({ is, number }) => {
       asks += 1;
       if (is === "end") return port.close();
       if (asks === 1) return port.postMessage({ is: "failed", number, message: "the disk is full" });
       process.exit();
     });
     port.postMessage({ is: "ready" });`,
  );
  await assert.rejects(untilServed(ask, meanwhile), /the disk is full/);
  await assert.rejects(ask(), /has ended/);
  assert.equal((await ask())[0]!.grants[0]!.amount, 1);
});
