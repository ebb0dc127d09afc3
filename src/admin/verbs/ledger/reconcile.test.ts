import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import {
  atEnd,
  makeAttempt,
  makeCall,
  makeDirectory,
  makeReport,
  makeRun,
  runOnce,
  startLedger,
} from "../../../ledger/ledger.kit.ts";
import { openJournalReader } from "../../../ledger/read/journal-reader.ts";
import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { ACT, anOrganization } from "../../../storage/engines.kit.ts";
import { openStore, type Store } from "../../../storage/store.ts";
import { FakeClock } from "../../../terms/clock.kit.ts";
import type { JsonObject } from "../../../terms/json.ts";
import { runVerb } from "../../run-verb.ts";
import reconcile from "./reconcile.ts";

const HOUR_MS = 60 * 60_000;

/** A run with one call of two requests of unknown charge, and a budget that has counted them. */
async function started(t: TestContext) {
  const clock = new FakeClock();
  const dataDir = makeDirectory(t);
  const open = async () => {
    const store = await openStore({ dataDir, clock });
    atEnd(t, () => store.close());
    return store;
  };
  const store = await open();
  const organizationId = await anOrganization(store, clock.wall() - HOUR_MS);
  const scope = { organizationId, workflowId: null, source: null, credentialId: null };
  const limit = { per: "month", currency: null, limit: 5n, warnPercent: 80 } as const;
  const budget = { id: "bud_1", ...scope, ...limit, setWallAt: clock.wall() - HOUR_MS };
  await store.admin.setBudget(ACT, budget);

  const { ledger, directory } = await startLedger(t, { directory: join(dataDir, "ledger") });
  const run = makeRun({ organizationId, startedWallAt: clock.wall() });
  const attempts = [1, 2].map((number) => makeAttempt({ number, charged: "unknown", sentWallAt: clock.wall() }));
  await runOnce(ledger, run, makeReport(run, { calls: [makeCall({ charged: "unknown", attempts })] }));
  await ledger.close();
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());

  // Two entries of the same millisecond are listed in no order.
  const ticking = { ...clock, wall: () => (clock.jumpWall(1), clock.wall()) };
  const settle = (input: object, { on = store, by = reader as LedgerAnswers } = {}) =>
    runVerb(
      "ledger reconcile",
      reconcile,
      { transaction: run.transactionId, call: 0, note: "x", ...input },
      {
        clock: ticking,
        actor: ACT,
        note: () => {},
        store: async () => on.admin,
        ledger: async () => by,
      },
    );
  return {
    reader,
    store,
    open,
    settle,
    /** As if the store was lost, or the process killed, just after the ledger was changed. */
    settleOnly: async (input: object, lost: Store) => {
      const losing = async (decision: Parameters<LedgerAnswers["reconcile"]>[0]) => {
        const settled = await reader.reconcile(decision);
        await lost.close();
        return settled;
      };
      return settle(input, { on: lost, by: { ...reader, reconcile: losing } });
    },
    used: async () => (await store.admin.budget(budget.id))!.used,
    states: async () => {
      const entries = await store.admin.auditEntries({ subjectId: run.transactionId });
      return entries.map(({ detail }: { detail: JsonObject }) => detail["state"]).toReversed();
    },
  };
}

test("a settlement that was cut short counts in its budgets when the command is given again, and once", async (t) => {
  const { open, settle, settleOnly, used, states } = await started(t);
  await assert.rejects(settleOnly({ charged: "no" }, await open()), {
    code: "unavailable",
    message: /is settled on the ledger.*budgets do not count it yet.*Give the same command again, with --attempt 1:/,
  });
  assert.equal(await used(), 0n);
  assert.deepEqual(await states(), ["about to settle"]);

  const again = await settle({ charged: "no", attempt: 1 });
  assert.equal(again["changed_budgets"], "bud_1");
  assert.equal(await used(), -2n, "both requests that the first one settled are free");
  await settle({ charged: "no", attempt: 1 });
  await settle({ charged: "no", attempt: 2 });
  assert.equal(await used(), -2n);
  await settle({ charged: "yes", attempt: 2 });
  assert.equal(await used(), -1n);
  assert.deepEqual(
    await states(),
    Array.from({ length: 5 }, (_, at) => (at === 0 ? ["about to settle"] : ["about to settle", "settled"])).flat(),
  );
});

test("what was settled and counted by an earlier version is not counted again", async (t) => {
  const { open, store, settle, settleOnly, used } = await started(t);
  await settleOnly({ charged: "no" }, await open()).catch(() => {});
  const [about] = await store.admin.auditEntries({ what: "ledger reconcile" });
  const { state: _, ...detail } = about!.detail;
  await store.admin.recordAct({ ...ACT, what: "ledger reconcile", wallAt: about!.wallAt }, { ...about!, detail });
  await settle({ charged: "no", attempt: 1 });
  assert.equal(await used(), 0n);
  await settle({ charged: "yes", attempt: 1 });
  assert.equal(await used(), 1n);
});

test("a settlement that is refused is not announced, and nothing is settled that cannot be announced", async (t) => {
  const { open, settle, used, states, reader } = await started(t);
  await assert.rejects(settle({ charged: "no", attempt: 3 }), { code: "refused" });
  await assert.rejects(settle({ charged: "no", call: 1 }), { code: "refused" });
  assert.deepEqual(await states(), []);
  const lost = await open();
  await lost.close();
  await assert.rejects(settle({ charged: "no" }, { on: lost }), /The store is closed/);
  assert.equal((await reader.unknown()).length, 2);
  assert.equal(await used(), 0n);
});
