import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import type { HostProcess } from "./host-process.ts";
import { MemoryWatch } from "./memory-watch.ts";
import type { Running } from "./running.ts";

const MB = 1_048_576;
const LIMIT_MB = 200;

/** A run, whose organization is the first letter of its name, and what it answers; `null`: its thread is busy. */
type Answers = Readonly<Record<string, number | null>>;

/** A watch over one process, in which one run holds 110 MB. The test sets its resident memory and answers for it. */
function watching(names: readonly string[] = ["a"]) {
  const clock = new FakeClock();
  const happened: string[] = [];
  const ended: string[] = [];
  const gaveBack: string[] = [];
  const runs = names.map((name, at) => ({
    id: at,
    name,
    over: false,
    rssBefore: 60 * MB,
    job: { organizationId: name[0] },
  }));
  let rssMb = 60;
  let asked = 0;
  let slowed = 0;
  let leftMb = 0;
  let blamed: string | null | undefined;
  const host = {
    process: { rssBytes: () => rssMb * MB, send: () => (asked += 1) },
    runs: new Map(runs.map((run) => [run.id, run as unknown as Running])),
    emptyBytes: 60 * MB,
    apart: null,
    killed: false,
  } as unknown as HostProcess;
  const watch = new MemoryWatch({
    clock,
    hosts: new Set([host]),
    childMemoryMb: LIMIT_MB,
    endRun: (_, { running }) => {
      happened.push("ended");
      const run = runs[running.id]!;
      run.over = true;
      ended.push(run.name);
    },
    gaveBack: ({ id }, bytes) => gaveBack.push(`${runs[id]!.name} ${bytes / MB}`),
    retire: () => happened.push("retired"),
    slowDown: () => (slowed += 1),
    kill: (_, named) => {
      happened.push("killed");
      blamed = named === null ? null : runs[named.id]!.name;
    },
  });
  watch.begin();
  /** A look at one size, and the answer to its question when the memory has another. */
  const look = async (lookMb: number, answerMb: number, answers: Answers = {}): Promise<void> => {
    rssMb = lookMb;
    const before = asked;
    await clock.advance(50);
    if (asked === before) return;
    rssMb = answerMb;
    // The isolate of a run that was ended is disposed of at once, whenever its thread leaves.
    const weights = runs.map(({ id, name, over }) => {
      if (over) return { id, bytes: 0, leftBytes: 0 };
      const megabytes = answers[name] === undefined ? 110 : answers[name];
      return { id, bytes: megabytes === null ? null : megabytes * MB, leftBytes: leftMb * MB };
    });
    watch.heard(host, { type: "weighed", runs: weights });
  };
  const grow = (toMb: number): void => void (rssMb = toMb);
  const leave = (mb: number): void => void (leftMb = mb);
  const finish = (name: string): void => void host.runs.delete(runs.findIndex((run) => run.name === name));
  return { happened, ended, gaveBack, look, grow, leave, finish, clock, blamed: () => blamed, slowed: () => slowed };
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
  assert.deepEqual([...new Set(happened)], ["retired"], "those who run there may finish");
  await clock.advance(7_900);
  assert.deepEqual([...new Set(happened)], ["retired"]);
  await clock.advance(100);
  assert.deepEqual([...new Set(happened)], ["retired", "killed"]);
});

test("what earlier runs have left in its isolate ends no run, but replaces the process", async () => {
  const { happened, look, leave } = watching();
  leave(100);
  await look(230, 230);
  assert.deepEqual(happened, ["retired"]);
});

test("far above the limit, nobody can hide behind what he has left himself", async () => {
  const { ended, happened, look, leave } = watching();
  leave(200);
  await look(420, 420, { a: 220 });
  assert.deepEqual(ended, ["a"]);
  for (let time = 0; time < 45; time += 1) await look(420, 420);
  assert.equal(happened.at(-1), "killed");
});

test("a thread that is busy once or twice is not taken to hold what nobody else accounts for", async () => {
  const { happened, ended, look } = watching(["a", "b"]);
  const garbage = { a: 20, b: null };
  for (let time = 0; time < 4; time += 1) await look(300, 300, garbage);
  assert.deepEqual(happened, []);
  await look(300, 300, { a: 20, b: 2 });
  assert.deepEqual(happened, ["retired"], "it answered: the memory belongs to nobody who runs");
  for (let time = 0; time < 5; time += 1) await look(300, 300, garbage);
  assert.deepEqual(ended, ["b"], "it does not answer");
});

test("far above the limit, an organization loses one run after another before another one loses any", async () => {
  const { happened, ended, look } = watching(["a1", "a2", "a3", "b"]);
  const busy = { a1: 110, a2: null, a3: null, b: 2 };
  // The thread of the first that is ended does not leave at once, and what makes the process grow is another one.
  for (const mb of [450, 500, 550, 600]) await look(mb, mb, busy);
  // What they held is in nobody's answer until their threads leave, so it is not known that the third has to go, too.
  assert.deepEqual(ended, ["a2", "a3"]);
  assert.ok(!happened.includes("killed"));
  for (let time = 0; time < 45; time += 1) await look(600, 600, busy);
  assert.deepEqual([ended.length, happened.includes("killed")], [2, false], "there is time for those to leave");
  for (let time = 0; time < 160; time += 1) await look(600, 600, busy);
  assert.deepEqual([ended.length, happened.at(-1)], [2, "killed"], "ten seconds later there is no other way");
});

test("what a run holds that is leaving is not taken to be what another organization's holds", async () => {
  const { ended, happened, look, blamed } = watching(["a", "b"]);
  await look(450, 450, { a: 300, b: 2 });
  assert.deepEqual(ended, ["a"]);
  // It does not leave, and grows; the other one is busy.
  for (let time = 0; time < 205; time += 1) await look(460 + time, 460 + time, { b: null });
  assert.deepEqual([ended, happened.at(-1), blamed()], [["a"], "killed", "a"]);
});

test("what the end of a busy run returns was its own, unless another one has ended meanwhile", async () => {
  for (const [others, returned] of [
    [[], ["a 200"]],
    [["b"], []],
  ] as const) {
    const { ended, gaveBack, look, finish } = watching(["a", "b"]);
    for (let time = 0; time < 5; time += 1) await look(350, 350, { a: null, b: 90 });
    assert.deepEqual(ended, ["a"]);
    for (const name of ["a", ...others]) finish(name);
    for (let time = 0; time < 2; time += 1) await look(150, 150, { b: 90 });
    assert.deepEqual(gaveBack, returned);
  }
});

test("who was measured is not measured again by what is returned while it leaves", async () => {
  const { ended, gaveBack, look, finish } = watching(["a", "b"]);
  await look(250, 250, { a: 110, b: 60 });
  assert.deepEqual(ended, ["a"]);
  finish("a");
  for (let time = 0; time < 2; time += 1) await look(60, 60, { b: 60 });
  assert.deepEqual(gaveBack, []);
});

test("before a process is killed with the runs of others, whoever fills it is ended", async () => {
  const { ended, happened, look, finish, slowed } = watching(["a1", "a2", "b"]);
  // Its threads take so much within one look that nobody could be asked, and are too busy to answer.
  for (let time = 0; time < 2; time += 1) await look(900, 900, { a1: null, a2: null, b: 3 });
  assert.deepEqual([ended, slowed()], [["a1", "a2"], 1]);
  for (const name of ["a1", "a2"]) finish(name);
  for (let time = 0; time < 70; time += 1) await look(100, 100, { b: 3 });
  assert.ok(!happened.includes("killed"));
});

test("far beyond all, or where nobody else runs, a process is killed at once", async () => {
  const far = watching(["a", "b"]);
  await far.look(1_700, 1_700);
  assert.deepEqual(far.happened, ["killed"]);
  const alone = watching(["a1", "a2"]);
  await alone.look(900, 900);
  assert.deepEqual(alone.happened, ["killed"]);
});

test("what runs have left that are gone kills nobody who stays, of whichever organization", async () => {
  for (const stays of ["b", "a3"]) {
    for (const mb of [450, 750]) {
      const { ended, happened, look, finish } = watching(["a1", "a2", stays]);
      await look(mb, mb, { a1: 300, a2: 300, [stays]: 3 });
      assert.deepEqual(ended, ["a1", "a2"].slice(0, mb === 450 ? 1 : 2));
      for (const name of ["a1", "a2"]) finish(name);
      for (let time = 0; time < 400; time += 1) await look(mb - 20 + (time % 2), mb - 20, { [stays]: 3 });
      await look(mb - 10, mb - 10, { [stays]: 3 });
      assert.deepEqual([ended.includes(stays), happened.includes("killed")], [false, false], `${stays} at ${mb} MB`);
    }
  }
});

test("where only runs are left that were ended, nobody is waited for", async () => {
  const { ended, happened, look, finish } = watching(["a", "b"]);
  await look(450, 450, { a: 300, b: 3 });
  finish("b");
  for (let time = 0; time < 45; time += 1) await look(450, 450);
  assert.deepEqual([ended, happened.at(-1)], [["a"], "killed"]);
});

test("whoever stays and goes on growing is ended, and then the process is killed", async () => {
  const { ended, happened, look, finish } = watching(["a", "b"]);
  await look(450, 450, { a: 300, b: 3 });
  finish("a");
  for (let time = 0; time < 20; time += 1) await look(450, 450, { b: 3 });
  assert.deepEqual(ended, ["a"]);
  for (let time = 0; time < 230; time += 1) await look(450 + 5 * time, 450 + 5 * time, { b: 3 + 5 * time });
  assert.deepEqual([ended, happened.at(-1)], [["a", "b"], "killed"]);
});

test("what is still being returned of a run that has left is not taken to be what a busy one of another holds", async () => {
  for (const [stays, after] of [
    ["b", ["a1"]],
    ["a2", ["a1", "a2"]],
  ] as const) {
    const { ended, look, finish } = watching(["a1", stays]);
    await look(450, 450, { a1: 300, [stays]: 3 });
    await look(450, 450, { [stays]: 3 });
    finish("a1");
    for (let time = 0; time < 10; time += 1) await look(440, 440, { [stays]: null });
    assert.deepEqual(ended, after);
    // By then it is its own.
    for (let time = 0; time < 80; time += 1) await look(440, 440, { [stays]: null });
    assert.deepEqual(ended, ["a1", stays]);
  }
});

test("of several organizations whose runs leave at once, each is remembered", async () => {
  for (const [first, second] of [
    ["a1", "b1"],
    ["b1", "a1"],
  ] as const) {
    const { ended, look, finish } = watching([first, second, "a2"]);
    await look(450, 450, { [first]: 300, [second]: 30, a2: 3 });
    for (let time = 0; time < 40 && ended.length < 2; time += 1) await look(450, 450, { [second]: 300, a2: 3 });
    assert.deepEqual(ended, [first, second]);
    await look(450, 450, { a2: 3 });
    for (const name of [first, second]) finish(name);
    for (let time = 0; time < 10; time += 1) await look(440, 440, { a2: null });
    assert.deepEqual(ended, [first, second], "what b1 has left may still be there");
    for (let time = 0; time < 80; time += 1) await look(440, 440, { a2: null });
    assert.deepEqual(ended, [first, second, "a2"]);
  }
});
