import assert from "node:assert/strict";
import { test } from "node:test";
import { CachedLookup } from "./cached-lookup.ts";
import { FakeClock, settle } from "../time/clock.kit.ts";

interface Answer {
  readonly text: string | null;
}

const LIMITS = {
  foundMax: 100,
  absentMax: 10,
  freshMs: 10_000,
  absentMs: 2_000,
  staleMs: 300_000,
  waitMs: 500,
  underwayMax: 3,
};

function rig() {
  const clock = new FakeClock();
  const rows = new Map<string, string>([["a", "one"]]);
  const asked: string[] = [];
  const store = { mode: "up" as "up" | "fails" | "hangs", version: 1 };
  const lookup = new CachedLookup<Answer>(
    {
      find: async (key) => {
        asked.push(key);
        const text = rows.get(key) ?? null;
        if (store.mode === "fails") throw new Error("refused");
        if (store.mode === "hangs") await new Promise(() => {});
        return { text };
      },
      isAbsent: (answer) => answer.text === null,
      version: () => store.version,
    },
    clock,
    LIMITS,
  );
  return { clock, rows, asked, store, lookup };
}

test("a cached answer is returned without a promise", async () => {
  const { lookup, asked } = rig();
  assert.deepEqual(await lookup.get("a"), { text: "one" });
  assert.deepEqual(await lookup.get("a"), { text: "one" });
  assert.deepEqual(asked, ["a"]);
});

test("callers of one key share one look-up", async () => {
  const { lookup, asked } = rig();
  await Promise.all([lookup.get("a"), lookup.get("a"), lookup.get("a")]);
  assert.deepEqual(asked, ["a"]);
});

test("a key in use is refreshed in the background, so that it never waits", async () => {
  const { lookup, clock, rows, asked } = rig();
  await lookup.get("a");
  rows.set("a", "two");
  await clock.advance(5_000);
  assert.deepEqual(await lookup.get("a"), { text: "one" });
  await settle();
  assert.deepEqual(await lookup.get("a"), { text: "two" });
  assert.equal(asked.length, 2);
});

test("a changed version is noticed by the very next use", async () => {
  const { lookup, rows, store } = rig();
  await lookup.get("a");
  rows.delete("a");
  store.version = 2;
  assert.deepEqual(await lookup.get("a"), { text: null });
});

test("a look-up that began before a change is not used after it", async () => {
  const { lookup, rows, store, asked } = rig();
  const before = lookup.get("a");
  rows.delete("a");
  store.version = 2;
  assert.deepEqual(await lookup.get("a"), { text: null });
  assert.deepEqual(await before, { text: "one" });
  assert.deepEqual(await lookup.get("a"), { text: null }, "the older answer came last and replaced nothing");
  assert.equal(asked.length, 2);
});

test("a miss is looked up again after its own, shorter time", async () => {
  const { lookup, clock, rows } = rig();
  assert.deepEqual(await lookup.get("new"), { text: null });
  rows.set("new", "row");
  await clock.advance(1_999);
  assert.deepEqual(await lookup.get("new"), { text: null });
  await clock.advance(1);
  assert.deepEqual(await lookup.get("new"), { text: "row" });
});

test("a flood of misses evicts no hits, and stays bounded", async () => {
  const { lookup } = rig();
  await lookup.get("a");
  for (let miss = 0; miss < 500; miss += 1) await lookup.get(`miss ${miss}`);
  assert.deepEqual(await lookup.get("a"), { text: "one" });
  assert.ok(lookup.stats.absent <= LIMITS.absentMax);
});

for (const mode of ["fails", "hangs"] as const) {
  test(`a known key never waits twice for a store that ${mode}, and is good for ${LIMITS.staleMs} ms`, async () => {
    const { lookup, clock, store } = rig();
    await lookup.get("a");
    store.mode = mode;
    await clock.advance(LIMITS.freshMs);
    const first = lookup.get("a");
    await clock.advance(LIMITS.waitMs);
    assert.deepEqual(await first, { text: "one" });
    for (let waitedMs = 0; waitedMs < 280_000; waitedMs += 1_000) {
      assert.deepEqual(await lookup.get("a"), { text: "one" });
      await clock.advance(1_000);
    }
    await clock.advance(20_000);
    const late = assert.rejects(lookup.get("a"));
    await clock.advance(LIMITS.waitMs);
    await late;
  });

  test(`an unseen key fails within ${LIMITS.waitMs} ms when the store ${mode}`, async () => {
    const { lookup, clock, store } = rig();
    store.mode = mode;
    const refused = assert.rejects(lookup.get("a"), mode === "fails" ? /refused/ : /no answer within 500 ms/);
    await clock.advance(LIMITS.waitMs);
    await refused;
    store.mode = "up";
    await clock.advance(10_000);
    assert.deepEqual(await lookup.get("a"), { text: "one" });
  });
}

test("a store that is down is asked for a cached key at most once a second", async () => {
  const { lookup, clock, store, asked } = rig();
  await lookup.get("a");
  store.mode = "fails";
  await clock.advance(LIMITS.freshMs);
  await lookup.get("a");
  asked.length = 0;
  for (let use = 0; use < 100; use += 1) {
    await lookup.get("a");
    await clock.advance(50);
  }
  assert.ok(asked.length >= 3 && asked.length <= 6, `asked ${asked.length} times in 5 s`);
});

test("once the store answers again, changes made meanwhile are noticed", async () => {
  const { lookup, clock, rows, store } = rig();
  await lookup.get("a");
  store.mode = "fails";
  await clock.advance(LIMITS.freshMs);
  assert.deepEqual(await lookup.get("a"), { text: "one" });
  rows.delete("a");
  store.mode = "up";
  await clock.advance(1_000);
  assert.deepEqual(await lookup.get("a"), { text: "one" }, "asked behind the answer");
  await settle();
  assert.deepEqual(await lookup.get("a"), { text: null });
});

test("a failure long ago does not make an outdated answer usable", async () => {
  const { lookup, clock, rows, store } = rig();
  await lookup.get("a");
  store.mode = "fails";
  await assert.rejects(lookup.get("b"));
  store.mode = "up";
  await clock.advance(60_000);
  rows.delete("a");
  assert.deepEqual(await lookup.get("a"), { text: null });
});

test("one success ends the failure: outdated answers are not returned after it", async () => {
  const { lookup, rows, store } = rig();
  await lookup.get("a");
  store.mode = "fails";
  await assert.rejects(lookup.get("b"));
  store.mode = "up";
  await lookup.get("b");
  rows.delete("a");
  store.version = 2;
  assert.deepEqual(await lookup.get("a"), { text: null });
});

test("a late answer does not replace a newer one", async () => {
  const answers: ((answer: Answer) => void)[] = [];
  let version = 1;
  const lookup = new CachedLookup<Answer>(
    {
      find: () => new Promise((resolve) => answers.push(resolve)),
      isAbsent: (answer) => answer.text === null,
      version: () => version,
    },
    new FakeClock(),
    LIMITS,
  );
  const older = lookup.get("a");
  version = 2;
  const newer = lookup.get("a");
  answers[1]?.({ text: null });
  assert.deepEqual(await newer, { text: null });
  answers[0]?.({ text: "one" });
  assert.deepEqual(await older, { text: "one" });
  assert.deepEqual(await lookup.get("a"), { text: null });
});

test("concurrent look-ups of uncached keys are limited, and cached keys are not refused because of it", async () => {
  const { lookup, clock, store } = rig();
  await lookup.get("a");
  store.mode = "hangs";
  const waiting = ["x", "y", "z"].map((key) => assert.rejects(lookup.get(key)));
  await assert.rejects(lookup.get("w"), /3 look-ups are in progress/);
  store.version = 2;
  const known = lookup.get("a");
  await clock.advance(LIMITS.waitMs);
  await Promise.all(waiting);
  assert.deepEqual(await known, { text: "one" });
  assert.equal(lookup.stats.underway, 4);
});

test("an answer that came while the process was stopped is read before the store counts as silent", async () => {
  const clock = new FakeClock();
  const answer = Promise.withResolvers<Answer>();
  const question = { find: () => answer.promise, isAbsent: () => false, version: () => 1 };
  const lookup = new CachedLookup<Answer>(question, clock, LIMITS);
  const told = [lookup.get("a"), lookup.get("a", 200)].map((value) =>
    value.then(
      ({ text }) => text,
      (thrown: Error) => thrown.message,
    ),
  );
  // Due timers run before data that has arrived is read.
  clock.stop(60_000);
  await settle();
  answer.resolve({ text: "one" });
  assert.deepEqual(await Promise.all(told), ["one", "one"]);
  assert.deepEqual([lookup.stats.failures, clock.timers], [0, 1], "only the one that forgets");
});

test("no timer is left once everything was dropped, and unused entries are dropped by age", async () => {
  const { lookup, clock, rows } = rig();
  rows.set("b", "used");
  await lookup.get("a");
  await lookup.get("nobody");
  for (let waitedMs = 0; waitedMs < 2 * LIMITS.staleMs; waitedMs += 5_000) {
    await lookup.get("b");
    await clock.advance(5_000);
  }
  assert.deepEqual([lookup.stats.found, lookup.stats.absent], [1, 0]);
  await clock.advance(2 * LIMITS.staleMs);
  assert.deepEqual([lookup.stats.found, lookup.stats.absent], [0, 0]);
  assert.equal(clock.timers, 0);
});

test("a caller that has less time gives up sooner, without affecting others", async () => {
  const { lookup, clock, store } = rig();
  store.mode = "hangs";
  const [sooner, later] = [lookup.get("a", 100), lookup.get("a")].map((answer) => {
    const told = { by: "" };
    void answer.catch((thrown: Error) => (told.by = thrown.message));
    return told;
  });
  await clock.advance(100);
  assert.deepEqual([sooner!.by, later!.by], ["no time is left to wait", ""]);
  await clock.advance(400);
  assert.match(later!.by, /no answer within 500 ms/);
});

test("an owner whose uncached keys hang leaves look-ups for others", async () => {
  const clock = new FakeClock();
  const lookup = new CachedLookup<Answer>(
    {
      find: (key) => (key.startsWith("a ") ? new Promise(() => {}) : Promise.resolve({ text: key })),
      isAbsent: (answer) => answer.text === null,
      version: () => 1,
      ownerOf: (key) => key.slice(0, 1),
    },
    clock,
    { ...LIMITS, underwayMax: 10 },
  );
  const asked = Array.from({ length: 20 }, (_, at) => assert.rejects(lookup.get(`a ${at}`)));
  assert.equal(lookup.stats.underway, 5);
  assert.deepEqual(await lookup.get("b 1"), { text: "b 1" });
  await clock.advance(LIMITS.waitMs);
  await Promise.all(asked);
});
