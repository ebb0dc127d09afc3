import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../terms/time/clock.ts";
import type { DrainRecord } from "../journal/running-ledger.ts";
import { atEnd, until } from "../ledger.kit.ts";
import { openDrainThread } from "./drain-thread.ts";

/** A thread that runs this code. `starts` counts its starts; `port` connects it to the service. */
function openThread(t: TestContext, code: string) {
  const starts = new Int32Array(new SharedArrayBuffer(4));
  const notes: DrainRecord[] = [];
  const lines: object[] = [];
  const note = (fields: object): void => void lines.push(fields);
  let written = (): void => {};
  const head = `import { parentPort as port, workerData } from "node:worker_threads";
const start = Atomics.add(workerData, 0, 1) + 1;\n`;
  const thread = openDrainThread({
    entry: new URL(`data:text/javascript,${encodeURIComponent(head + code)}`),
    workerData: starts,
    ledger: { recordDrained: (one) => void notes.push(one), onWritten: (listener) => (written = listener) },
    clock: systemClock,
    log: { info: note, warn: note, error: note },
  });
  atEnd(t, () => thread.close(0));
  return { thread, notes, lines, starts: () => starts[0]!, written: () => written() };
}

test("what the thread notes, counts and logs reaches the service", async (t) => {
  const { thread, notes, lines, written } = openThread(
    t,
    `port.on("message", (message) => {
       if (message.is === "end") return port.close();
       port.postMessage({ is: "noted", note: { run: 7, wallAt: 1, forgetBefore: 0 } });
       port.postMessage({ is: "log", level: "warn", fields: { event: "said" }, message: "m" });
       port.postMessage({ is: "state", state: { pendingRuns: 3, damaged: 1 } });
     });`,
  );
  written();
  await until(() => thread.state().pendingRuns === 3, "it says so");
  assert.deepEqual(thread.state(), { pendingRuns: 3, damaged: 1 });
  assert.deepEqual(notes, [{ run: 7, wallAt: 1, forgetBefore: 0 }]);
  assert.deepEqual(lines, [{ event: "said" }]);
});

test("a thread that ends is replaced, and what it counted is kept", async (t) => {
  const { thread, lines, starts, written } = openThread(
    t,
    `port.postMessage({ is: "state", state: { pendingRuns: 0, damaged: 1 } });
     if (start === 1) setTimeout(() => { throw new Error("out of order"); }, 20);
     port.on("message", (message) => message.is === "end" ? port.close() : port.postMessage({ is: "state", state: { pendingRuns: 5, damaged: 1 } }));`,
  );
  await until(() => starts() === 2, "it has started again");
  written();
  await until(() => thread.state().pendingRuns === 5, "it says so");
  assert.equal(thread.state().damaged, 2);
  assert.deepEqual(lines, [{ event: "ledger_drain_thread_failed", error: "Error: out of order" }]);
});

test("closing waits for a thread that is sending, and ends one that does not answer", async (t) => {
  const sending = openThread(
    t,
    `port.on("message", () => setTimeout(() => { port.postMessage({ is: "state", state: { pendingRuns: 0, damaged: 9 } }); port.close(); }, 30));`,
  );
  await sending.thread.close(10_000);
  assert.equal(sending.thread.state().damaged, 9);
  assert.equal(sending.starts(), 1);
  const stuck = openThread(t, `port.on("message", () => { for (;;); });`);
  await until(() => stuck.starts() === 1, "it has started");
  await stuck.thread.close(10);
  assert.equal(stuck.starts(), 1);
});
