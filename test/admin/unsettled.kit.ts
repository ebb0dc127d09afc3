import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  atEnd,
  makeAttempt,
  makeCall,
  makeDirectory,
  makeReport,
  makeRun,
  runOnce,
  startLedger,
} from "../../src/ledger/ledger.kit.ts";
import { openJournalReader } from "../../src/ledger/read/journal-reader.ts";
import type { LedgerAnswers } from "../../src/ledger/read/ledger-reader.ts";
import { ACT, anOrganization } from "../../src/storage/engines.kit.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import { FakeClock } from "../../src/terms/time/clock.kit.ts";
import type { JsonObject } from "../../src/terms/json/json.ts";
import { runVerb } from "../../src/admin/run-verb.ts";
import reconcile from "../../src/admin/verbs/ledger/reconcile.ts";
import settleVerb from "../../src/admin/verbs/ledger/settle.ts";
import settleUnknownVerb from "../../src/admin/verbs/ledger/settle-unknown.ts";

const HOUR_MS = 60 * 60_000;

/** A run with one call of two requests of unknown charge, counted by a budget. */
export async function unsettled(t: TestContext) {
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
  const limit = { per: "month", timeZone: "UTC", currency: null, limit: 5n, warnPercent: 80 } as const;
  const budget = { id: "bud_1", ...scope, ...limit, setWallAt: clock.wall() - HOUR_MS };
  await store.admin.setBudget(ACT, budget);

  const { ledger, directory } = await startLedger(t, { directory: join(dataDir, "ledger") });
  const run = makeRun({ organizationId, startedWallAt: clock.wall() });
  const attempts = [1, 2].map((number) => makeAttempt({ number, charged: "unknown", sentWallAt: clock.wall() }));
  await runOnce(ledger, run, makeReport(run, { calls: [makeCall({ charged: "unknown", attempts })] }));
  const other = makeRun({ organizationId, startedWallAt: clock.wall() });
  const charged = [makeAttempt({ charged: "yes", sentWallAt: clock.wall() })];
  await runOnce(ledger, other, makeReport(other, { calls: [makeCall({ charged: "yes", attempts: charged })] }));
  await ledger.close();
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());

  // Each reading of the clock is a later millisecond, because entries of the same one are listed in no order.
  const ticking = { ...clock, wall: () => (clock.jumpWall(1), clock.wall()) };
  const given = (on: Store, by: LedgerAnswers) => ({
    clock: ticking,
    actor: ACT,
    note: () => {},
    store: async () => on.admin,
    ledger: async () => by,
  });
  const settle = (input: object, { on = store, by = reader as LedgerAnswers } = {}) =>
    runVerb(
      "ledger reconcile",
      reconcile,
      { transaction: run.transactionId, call: 0, note: "x", ...input },
      given(on, by),
    );
  /** Settles by an invoice whose only line is about another run. */
  const settleInvoice = (input: object = {}, { on = store, by = reader as LedgerAnswers } = {}) => {
    const day = new Date(clock.wall()).toISOString().slice(0, 10);
    const next = new Date(clock.wall() + 24 * HOUR_MS).toISOString().slice(0, 10);
    const invoice = `Run\n${other.transactionId}\n`;
    const span = { from: day, to: next, map: ["transaction=Run"], note: "invoice 1", apply: true };
    return runVerb("ledger settle", settleVerb, { invoice, ...span, ...input }, given(on, by));
  };
  const settleUnknown = (input: object = {}, { on = store, by = reader as LedgerAnswers } = {}) =>
    runVerb(
      "ledger settle-unknown",
      settleUnknownVerb,
      {
        charge: [1, 2].map((number) => `${run.transactionId}:0:${number}`),
        note: "asked",
        charged: "no",
        apply: true,
        ...input,
      },
      given(on, by),
    );
  /** A ledger that makes the store fail just after a charge was settled. */
  const losing = (lost: Store): LedgerAnswers => ({
    ...reader,
    reconcile: async (decision) => {
      const settled = await reader.reconcile(decision);
      await lost.close();
      return settled;
    },
  });
  return {
    reader,
    run,
    store,
    open,
    settle,
    /** Simulates a lost store, or a killed process, just after the ledger was changed. */
    settleOnly: async (input: object, lost: Store) => settle(input, { on: lost, by: losing(lost) }),
    settleInvoice,
    settleUnknown,
    losing,
    used: async () => (await store.admin.budget(budget.id))!.used,
    states: async () => {
      const entries = await store.admin.auditEntries({ subjectId: run.transactionId });
      return entries.map(({ detail }: { detail: JsonObject }) => detail["state"]).toReversed();
    },
  };
}
