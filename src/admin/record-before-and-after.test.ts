import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { atEnd, makeDirectory } from "../ledger/ledger.kit.ts";
import { ACT } from "../storage/engines.kit.ts";
import { openStore } from "../storage/store.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { recordBeforeAndAfter } from "./record-before-and-after.ts";

const ABOUT = { subjects: ["root_1", "root_2"], detail: { before: "2025" } };

async function started(t: TestContext) {
  const dataDir = makeDirectory(t);
  const clock = new FakeClock();
  const [store, after] = [await openStore({ dataDir, clock }), await openStore({ dataDir, clock })];
  for (const one of [store, after]) atEnd(t, () => one.close());
  const notes: string[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  const call = { act: { ...ACT, wallAt: clock.wall() }, clock, note, store: async () => store.admin };
  /** The entries of the audit trail by subject, in order. */
  const recorded = async () => {
    const entries = (await after.admin.auditEntries({})).toReversed();
    return ABOUT.subjects.map((id) =>
      entries.filter(({ subjectId }) => subjectId === id).map(({ detail }: { detail: JsonObject }) => detail),
    );
  };
  return { call, clock, store, notes, recorded };
}

const BEGUN = { before: "2025", state: "about to begin" };

test("what cannot be undone is recorded before it is done, and its result afterwards", async (t) => {
  const { call, clock, notes, recorded } = await started(t);
  const result = await recordBeforeAndAfter(call, ABOUT, async () => {
    assert.deepEqual(await recorded(), [[BEGUN], [BEGUN]]);
    await clock.advance(5);
    return { deleted: 1 };
  });
  assert.deepEqual(result, { deleted: 1 });
  const both = [BEGUN, { before: "2025", deleted: 1, state: "done" }];
  assert.deepEqual(await recorded(), [both, both]);
  assert.deepEqual(notes, []);
});

test("what cannot be recorded is not done", async (t) => {
  const { call, store, recorded } = await started(t);
  await store.close();
  await assert.rejects(
    recordBeforeAndAfter(call, ABOUT, () => assert.fail("it is not to be done")),
    /The store is closed/,
  );
  assert.deepEqual(await recorded(), [[], []]);
});

test("the result is returned if it cannot be recorded, and the first entry stays", async (t) => {
  const { call, store, notes, recorded } = await started(t);
  const result = await recordBeforeAndAfter(call, ABOUT, async () => {
    await store.close();
    return { deleted: 1 };
  });
  assert.deepEqual(result, { deleted: 1 });
  assert.deepEqual(await recorded(), [[BEGUN], [BEGUN]]);
  assert.equal(notes.length, 1);
  assert.match(notes[0]!, /The command is done, .* has only that "test" was about to begin\./);
});
