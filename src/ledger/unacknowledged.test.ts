import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { StallWatch, Unacknowledged } from "./unacknowledged.ts";

const STALL_MS = 5_000;

function watching() {
  const clock = new FakeClock();
  let oldestAt: number | null = null;
  let stalls = 0;
  const watch = new StallWatch(
    clock,
    STALL_MS,
    () => oldestAt,
    () => (stalls += 1),
  );
  const begin = (): void => {
    oldestAt = clock.now();
    watch.watch();
  };
  return { clock, begin, answer: () => void (oldestAt = null), stalls: () => stalls };
}

test("a record that nobody acknowledges is noticed after its time, and not before", async () => {
  const { clock, begin, stalls } = watching();
  begin();
  await clock.advance(STALL_MS - 1);
  assert.equal(stalls(), 0);
  await clock.advance(1);
  assert.equal(stalls(), 1);
});

test("time in which the process was stopped does not count, wherever it falls", async () => {
  for (const beforeMs of [0, 100, 240, 260, 4_000]) {
    const { clock, begin, answer, stalls } = watching();
    begin();
    await clock.advance(beforeMs);
    clock.stop(60_000);
    await clock.advance(200);
    assert.equal(stalls(), 0, `stopped after ${beforeMs} ms`);
    answer();
    await clock.advance(60_000);
    assert.equal(stalls(), 0);
    begin();
    await clock.advance(STALL_MS);
    assert.equal(stalls(), 1, "a later record has no more time than any other");
  }
});

test("a disk that stalls is noticed although the process was stopped once", async () => {
  const { clock, begin, stalls } = watching();
  begin();
  clock.stop(60_000);
  await clock.advance(STALL_MS);
  assert.equal(stalls(), 1);
});

test("what is acknowledged is not kept while others wait", async () => {
  const queue = new Unacknowledged(100, 100_000);
  const kept: WeakRef<object>[] = [];
  for (let count = 0; count < 10; count += 1) {
    const record = { count };
    kept.push(new WeakRef(record));
    const onDurable = (): void => void record.count;
    queue.push({ text: "{}", bytes: 2, organizationId: "org_1", sinceAt: 0, onDurable, settle: null });
  }
  queue.acknowledge(9);
  setFlagsFromString("--expose-gc");
  // A new weak reference stays alive until the end of its tick.
  await new Promise(setImmediate);
  (runInNewContext("gc") as () => void)();
  const left = kept.flatMap((one) => one.deref() ?? []);
  assert.deepEqual(left, [{ count: 9 }]);
  assert.equal(queue.count, 1);
});
