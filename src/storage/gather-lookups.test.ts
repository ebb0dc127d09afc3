import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { LOOKUP_MS_MAX } from "./answer-in-time.ts";
import { gatherLookups } from "./gather-lookups.ts";

interface Row {
  readonly key: string;
}

function rig() {
  const clock = new FakeClock();
  const questions: { readonly keys: readonly string[]; answer(): void; fail(): void }[] = [];
  const find = gatherLookups<Row>(
    clock,
    ({ key }) => key,
    (keys) =>
      new Promise((resolve, reject) => {
        const rows = keys.filter((key) => key.startsWith("is")).map((key) => ({ key }));
        questions.push({ keys, answer: () => resolve(rows.toReversed()), fail: () => reject(new Error("refused")) });
      }),
  );
  return { clock, questions, find };
}

test("the lookups of one tick are one query, and each gets its own row or none", async () => {
  const { questions, find } = rig();
  const found = Promise.all([find("is a"), find("not"), find("is b"), find("is a")]);
  await settle();
  assert.deepEqual(
    questions.map(({ keys }) => keys),
    [["is a", "not", "is b"]],
  );
  questions[0]!.answer();
  assert.deepEqual(await found, [{ key: "is a" }, null, { key: "is b" }, { key: "is a" }]);
});

test("a flood of lookups is a few queries, at most two in progress, and every lookup is answered", async () => {
  const { questions, find } = rig();
  const found = Promise.all(Array.from({ length: 5_000 }, (_, at) => find(`${at % 100 === 0 ? "is" : "not"} ${at}`)));
  for (let answered = 0; answered < 10; answered += 1) {
    await settle();
    await settle();
    assert.ok(questions.length - answered <= 2, "two are under way at the most");
    questions[answered]!.answer();
  }
  assert.equal((await found).filter((row) => row !== null).length, 50);
  assert.equal(questions.length, 10);
});

test("a query that fails rejects only its own lookups, and the next one continues", async () => {
  const { questions, find } = rig();
  const refused = assert.rejects(find("is a"), /refused/);
  await settle();
  questions[0]!.fail();
  await refused;
  const found = find("is a");
  await settle();
  questions[1]!.answer();
  assert.deepEqual(await found, { key: "is a" });
});

test("queries that hang delay later ones for half a second and no longer", async () => {
  const { clock, questions, find } = rig();
  for (const key of ["is a", "is b"]) {
    void find(key);
    await settle();
  }
  const found = find("is c");
  await clock.advance(LOOKUP_MS_MAX - 1);
  assert.equal(questions.length, 2);
  await clock.advance(1);
  await settle();
  assert.deepEqual(questions[2]?.keys, ["is c"]);
  questions[2].answer();
  assert.deepEqual(await found, { key: "is c" });
  // The late answers of the queries still arrive, but do not free a slot a second time.
  questions[0]!.answer();
  questions[1]!.answer();
  await settle();
  assert.equal(clock.timers, 0);
});
