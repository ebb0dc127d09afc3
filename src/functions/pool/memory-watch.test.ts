import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import type { HostProcess } from "./host-process.ts";
import { MemoryWatch } from "./memory-watch.ts";
import type { Running } from "./running.ts";

const MB = 1_048_576;
const LIMIT_MB = 200;

/** A watch over one process, in which one run holds 60 MB. The test sets its resident memory and answers for it. */
function watching() {
  const clock = new FakeClock();
  const happened: string[] = [];
  const running = { id: 1, over: false, rssBefore: 60 * MB, job: { organizationId: "org_a" } } as unknown as Running;
  let rssMb = 60;
  let asked = 0;
  let leftMb = 0;
  const host = {
    process: { rssBytes: () => rssMb * MB, send: () => (asked += 1) },
    runs: new Map([[1, running]]),
    emptyBytes: 60 * MB,
    apart: null,
    killed: false,
  } as unknown as HostProcess;
  const watch = new MemoryWatch({
    clock,
    hosts: new Set([host]),
    childMemoryMb: LIMIT_MB,
    endRun: () => happened.push("ended"),
    gaveBack: () => {},
    retire: () => happened.push("retired"),
    kill: () => happened.push("killed"),
  });
  watch.begin();
  /** A look at one size, and the answer to its question when the memory has another. */
  const look = async (lookMb: number, answerMb: number): Promise<void> => {
    rssMb = lookMb;
    const before = asked;
    await clock.advance(50);
    if (asked === before) return;
    rssMb = answerMb;
    watch.heard(host, { type: "weighed", runs: [{ id: 1, bytes: 110 * MB, leftBytes: leftMb * MB }] } as never);
  };
  const grow = (toMb: number): void => void (rssMb = toMb);
  const leave = (mb: number): void => void (leftMb = mb);
  return { happened, look, grow, leave, clock };
}

test("while memory falls nobody is ended, and whoever holds it is once it has stopped falling", async () => {
  const { happened, look } = watching();
  await look(390, 370);
  await look(350, 300);
  await look(260, 220);
  assert.deepEqual(happened, []);
  await look(220, 219);
  assert.deepEqual(happened, ["ended"]);
});

test("memory that falls below the limit is of no concern", async () => {
  const { happened, look } = watching();
  await look(390, 250);
  await look(190, 190);
  assert.deepEqual(happened, []);
});

test("what was waited for before the memory was in its limit again does not count", async () => {
  const { happened, look } = watching();
  for (let time = 0; time < 20; time += 1) {
    await look(250, 220);
    await look(190, 190);
  }
  assert.deepEqual(happened, []);
});

test("taking and returning memory over and over does not help for long, nor does it far above the limit", async () => {
  const returning = watching();
  for (let time = 0; time < 6; time += 1) await returning.look(250, 220);
  assert.deepEqual(returning.happened, []);
  await returning.look(250, 220);
  assert.deepEqual(returning.happened, ["ended"]);
  const far = watching();
  await far.look(500, 420);
  assert.notDeepEqual(far.happened, []);
});

test("after the service was stopped, its process has its whole time to answer", async () => {
  const { happened, grow, clock } = watching();
  grow(250);
  await clock.advance(50);
  clock.stop(10_000);
  await clock.advance(1_900);
  assert.deepEqual(happened, []);
  await clock.advance(100);
  assert.deepEqual(happened, ["killed"]);
});

test("what earlier runs have left in its isolate ends no run, but replaces the process", async () => {
  const { happened, look, leave } = watching();
  leave(100);
  await look(230, 230);
  assert.deepEqual(happened, ["retired"]);
});

test("far above the limit, nobody can hide behind what he has left himself", async () => {
  const { happened, look, leave } = watching();
  leave(100);
  await look(420, 420);
  assert.ok(!happened.includes("retired"), happened.join(" "));
});
