import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { atEnd, makeDirectory } from "../ledger/ledger.kit.ts";
import type { RunnableSource } from "../run/ports.ts";
import { ACT, anOrganization, aWorkflow } from "../storage/engines.kit.ts";
import { openStore } from "../storage/store.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { askVendor } from "./authoring/ask-vendor.ts";
import type { LiveAnswer } from "./authoring/ports.ts";
import type { VerbCall } from "./needs.ts";
import type { RunAccess } from "./ports.ts";
import { runAsClient } from "./run-as-client.ts";

/** A store that can fail during a vendor's call, and a verb's call that collects its remarks. */
async function started(t: TestContext) {
  const dataDir = makeDirectory(t);
  const clock = new FakeClock();
  const store = await openStore({ dataDir, clock });
  const again = await openStore({ dataDir, clock });
  atEnd(t, () => store.close());
  atEnd(t, () => again.close());
  const notes: string[] = [];
  const call = {
    act: { ...ACT, wallAt: clock.wall() },
    clock,
    note: (sentence: string) => void notes.push(sentence),
    store: async () => store.admin,
    service: async () => ({}),
  } as unknown as VerbCall<"store" | "service">;
  return { org: await anOrganization(store), store, after: again.admin, notes, call };
}

async function runLosingStore(t: TestContext, run: (access: RunAccess) => object) {
  const { org, store, after, notes, call } = await started(t);
  const workflow = aWorkflow(org);
  await store.admin.createWorkflow(ACT, workflow);
  const ended = runAsClient(call, workflow.id, "workflow run", async (_service, access) => {
    await store.close();
    return run(access);
  });
  const [settled] = await Promise.allSettled([ended]);
  return { settled, notes, tokens: await after.tokens(org), begunAt: call.act.wallAt };
}

test("the answer of a run is returned if its token cannot be revoked, and a remark names the valid token", async (t) => {
  const { settled, notes, tokens, begunAt } = await runLosingStore(t, () => ({ answer: 42 }));
  assert.deepEqual(settled, { status: "fulfilled", value: { answer: 42 } });
  const [token] = tokens;
  assert.equal(token!.revokedWallAt, null);
  assert.equal(token!.expiresWallAt, begunAt + 5 * 60_000);
  assert.equal(notes.length, 1);
  const until = new Date(token!.expiresWallAt!).toISOString();
  assert.ok(notes[0]!.includes(`stays valid until ${until}.`), notes[0]);
  assert.ok(notes[0]!.endsWith(`datarun token revoke ${token!.id}`), notes[0]);
});

test("the reason why a run failed is reported also if its token cannot be revoked", async (t) => {
  const { settled, notes } = await runLosingStore(t, () => {
    throw new RangeError("the run itself");
  });
  assert.match(String((settled as PromiseRejectedResult).reason), /the run itself/);
  assert.equal(notes.length, 1);
});

test("the answer of a live test is returned if its result cannot be recorded: the first entry stays, and a remark says so", async (t) => {
  const { store, after, notes, call } = await started(t);
  const report = { match: true, charged: "yes", attempts: [{ charged: "yes", price: null }], tookMs: 5 };
  const answer = { report, output: { name: "Ada" }, replies: [] } as unknown as LiveAnswer;
  const source = { id: "acme__people", credentialUse: "none" } as unknown as RunnableSource;
  const question = { source, inputs: {}, context: "dev", credential: undefined, purpose: {} } as const;
  const parts = {
    act: call.act,
    clock: call.clock,
    note: call.note,
    trail: call.store,
    owner: async () => null,
    finder: () => assert.fail("there is no credential to be found"),
    askLive: async () => {
      await store.close();
      return answer;
    },
  };
  assert.equal(await askVendor(question, parts), answer);
  const entries = await after.auditEntries({ subjectId: "acme__people" });
  assert.deepEqual(
    entries.map(({ detail }) => detail["state"]),
    ["about to ask"],
  );
  assert.equal(notes.length, 1);
  assert.ok(notes[0]!.includes(entries[0]!.detail["transaction_id"] as string), notes[0]);
  assert.match(notes[0]!, /could not be stored.* counts as unknown.* its charge is "yes"/);
});
