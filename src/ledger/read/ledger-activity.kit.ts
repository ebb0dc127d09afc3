import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { CallReport, RunIntent, RunReport } from "../../run/ports.ts";
import { Fault, type FaultCode } from "../../terms/fault.ts";
import { makeAttempt, makeCall, makeReport, makeRun } from "../ledger.kit.ts";
import type { LedgerToRead } from "./ledger-reader.kit.ts";

const MARCH = Date.UTC(2026, 2, 10);
const MINUTE = 60_000;
const SPAN = { from: MARCH, to: MARCH + 60 * MINUTE };

const refused = { success: false, match: false, fault: new Fault("source.credential_rejected", { status: 401 }) };
const lost = { success: false, match: false, fault: new Fault("source.timeout", { afterMs: 1 }) };

/** The guarantees of every ledger about the latest calls, wherever its tables are. */
export function ledgerActivityContract(name: string, newLedger: (t: TestContext) => Promise<LedgerToRead>): void {
  /** Records a run with these calls that starts so many minutes after the span. */
  const recorded = async (
    { put }: LedgerToRead,
    minute: number,
    calls: readonly Partial<CallReport>[],
    more: Partial<RunIntent> = {},
  ) => {
    const run = makeRun({ startedWallAt: MARCH + minute * MINUTE, ...more });
    await put(run, makeReport(run, { calls: calls.map((call, ordinal) => makeCall({ ordinal, ...call })) }));
  };

  describe(`activity on the ledger of ${name}`, () => {
    test("calls are counted by how they ended, with percentiles of their times, source by source", async (t) => {
      const ledger = await newLedger(t);
      const { reader } = ledger;
      assert.deepEqual(await reader.activity({ by: "source", ...SPAN }), []);
      for (let minute = 0; minute < 4; minute += 1)
        await recorded(ledger, minute, [
          { tookMs: 10 * (minute + 1) },
          { source: "bell__phone", tookMs: 7, match: false },
        ]);
      await recorded(ledger, 4, [{ ...lost, tookMs: 900, charged: "unknown" }]);
      await recorded(ledger, 60, [{}]);
      await recorded(ledger, -1, [{}]);
      await recorded(ledger, 5, [{}], { simulated: true });
      const [people, phone, ...others] = await reader.activity({ by: "source", ...SPAN });
      assert.deepEqual(others, []);
      assert.deepEqual(people, {
        source: "acme__people",
        credentialId: null,
        outcomes: { match: 4, no_match: 0, failed: 1, rejected: 0, no_credential: 0, unknown: 0 },
        faults: [{ code: "source.timeout", calls: 1 }],
        p50Ms: 30,
        p99Ms: 900,
        countedFrom: MARCH,
        isComplete: true,
        lastAt: MARCH + 4 * MINUTE,
        last: "source.timeout",
      });
      assert.deepEqual(
        [phone?.source, phone?.outcomes.no_match, phone?.p99Ms, phone?.last],
        ["bell__phone", 4, 7, "no_match"],
      );
      const only = await reader.activity({ by: "source", ...SPAN, source: "bell__phone" });
      assert.deepEqual(only, [phone]);
      assert.deepEqual(await reader.activity({ by: "source", ...SPAN, source: "nobody__ever" }), []);
    });

    test("with more calls than are looked at, the newest count, and from when on is said", async (t) => {
      const ledger = await newLedger(t);
      for (let minute = 0; minute < 6; minute += 1)
        await recorded(ledger, minute, [minute % 2 === 0 ? {} : { ...lost, charged: "unknown" }]);
      const [line] = await ledger.reader.activity({ by: "source", ...SPAN, newest: 3 });
      assert.deepEqual(line?.outcomes, { match: 1, no_match: 0, failed: 2, rejected: 0, no_credential: 0, unknown: 0 });
      assert.equal(line?.countedFrom, MARCH + 3 * MINUTE);
      assert.equal(line?.isComplete, false);
      const [all] = await ledger.reader.activity({ by: "source", ...SPAN, newest: 6 });
      assert.deepEqual([all?.countedFrom, all?.isComplete], [MARCH, true]);
    });

    test("runs of a function are counted by how it ended, the newest of each, without simulated ones", async (t) => {
      const ledger = await newLedger(t);
      const { put, reader } = ledger;
      const ended = async (minute: number, functionId: string, more: Partial<RunReport> = {}, simulated = false) => {
        const run = makeRun({ startedWallAt: MARCH + minute * MINUTE, kind: "func", functionId, simulated });
        await put(run, makeReport(run, { calls: [], tookMs: 10 * (minute + 1), ...more }));
      };
      for (let minute = 0; minute < 3; minute += 1) await ended(minute, "dfunc_sum");
      await ended(3, "dfunc_sum", { functionFault: "function.timeout" });
      // Runs with an unsettled charge are elsewhere in the index.
      await ended(4, "dfunc_sum", { calls: [makeCall({ ...lost, charged: "unknown" })] });
      await ended(5, "dfunc_sum", {}, true);
      await ended(60, "dfunc_sum");
      await ended(0, "dfunc_other", { functionFault: "function.raised" });
      await recorded(ledger, 0, [{}]);
      const ask = (functions: readonly string[], newest?: number) =>
        reader.functionActivity({ functions, ...SPAN, ...(newest !== undefined && { newest }) });
      const [sum, other, ...others] = await ask(["dfunc_sum", "dfunc_none", "dfunc_other"]);
      assert.deepEqual(others, []);
      assert.deepEqual(sum, {
        functionId: "dfunc_sum",
        outcomes: { answered: 4, failed: 1, rejected: 0, unknown: 0 },
        faults: [{ code: "function.timeout", runs: 1 }],
        p50Ms: 30,
        p99Ms: 50,
        countedFrom: MARCH,
        isComplete: true,
        lastAt: MARCH + 4 * MINUTE,
        last: "answered",
      });
      assert.deepEqual([other?.outcomes.failed, other?.last], [1, "function.raised"]);
      const [newest] = await ask(["dfunc_sum"], 3);
      assert.deepEqual(newest?.outcomes, { answered: 1, failed: 1, rejected: 0, unknown: 0 });
      assert.deepEqual([newest.countedFrom, newest.isComplete], [MARCH + 3 * MINUTE, false]);
    });

    test("the versions of a function are compared by outcome, time and cost, and its workflows are told apart", async (t) => {
      const { put, reader } = await newLedger(t);
      const ended = async (minute: number, functionVersion: string | null, more: Partial<RunReport> = {}) => {
        const startedWallAt = MARCH + minute * MINUTE;
        const own = {
          kind: "func",
          functionId: "dfunc_sum",
          functionVersion,
          workflowId: `wfl_${minute % 2}`,
        } as const;
        const run = makeRun({ startedWallAt, ...own });
        await put(run, makeReport(run, { calls: [], tookMs: 10 * (minute + 1), ...more }));
      };
      const paid = (amount: bigint, ordinal = 0) =>
        makeCall({ ordinal, attempts: [makeAttempt({ charged: "yes", price: { amount, currency: "EUR" } })] });
      await ended(0, null);
      await ended(1, "old_version_12345", { calls: [paid(2_000_000n)] });
      await ended(2, "new_version_12345", { calls: [paid(1_000_000n), paid(500_000n, 1)] });
      await ended(3, "new_version_12345", { functionFault: "function.raised" });
      const filter = { functions: ["dfunc_sum"], ...SPAN } as const;
      const lines = await reader.functionActivity({ ...filter, by: "version" });
      assert.deepEqual(
        lines.map(({ version, outcomes, p99Ms, cost }) => [version, outcomes.answered, outcomes.failed, p99Ms, cost]),
        [
          [
            "new_version_12345",
            1,
            1,
            40,
            { costs: [{ currency: "EUR", least: 1_500_000n, most: 1_500_000n }], unpriced: 0 },
          ],
          [
            "old_version_12345",
            1,
            0,
            20,
            { costs: [{ currency: "EUR", least: 2_000_000n, most: 2_000_000n }], unpriced: 0 },
          ],
          [null, 1, 0, 10, { costs: [], unpriced: 0 }],
        ],
      );
      // Of one function, also the costs of its runs one by one, without those that were rejected.
      await ended(4, null, { functionFault: "function.overloaded" });
      const unsettled = makeAttempt({ charged: "unknown", price: { amount: 9_000_000n, currency: "USD" } });
      await ended(5, null, { calls: [makeCall({ ...lost, charged: "unknown", attempts: [unsettled] })] });
      const [line] = await reader.functionActivity(filter);
      assert.deepEqual(line?.costPerRun, {
        runs: 5,
        costs: [
          { currency: "EUR", median: 0n, most: 2_000_000n },
          { currency: "USD", median: 0n, most: 9_000_000n },
        ],
      });
      const dear = (await reader.functionActivity({ ...filter, to: MARCH + 3 * MINUTE }))[0]?.costPerRun;
      assert.deepEqual(dear?.costs, [{ currency: "EUR", median: 1_500_000n, most: 2_000_000n }]);
      const workflows = await reader.functionActivity({ ...filter, by: "workflow" });
      assert.deepEqual(new Set(workflows.map(({ workflowId }) => workflowId)), new Set(["wfl_0", "wfl_1"]));
    });

    test("calls that the service rejected are neither failures of a vendor nor part of the times", async (t) => {
      const ledger = await newLedger(t);
      const rejected = (code: FaultCode, minute: number, more: Partial<CallReport> = {}) =>
        recorded(ledger, minute, [
          { success: false, match: false, fault: new Fault(code), charged: "no", tookMs: 1, attempts: [], ...more },
        ]);
      await recorded(ledger, 0, [{ tookMs: 400 }]);
      await rejected("source.budget_used", 1);
      await rejected("source.queue_full", 2);
      await rejected("source.credential_missing", 3);
      await rejected("source.unreachable", 4);
      await rejected("source.vendor_5xx", 5, { tookMs: 600, attempts: [makeAttempt()] });
      const [line] = await ledger.reader.activity({ by: "source", ...SPAN });
      assert.deepEqual(line?.outcomes, {
        match: 1,
        no_match: 0,
        failed: 2,
        rejected: 2,
        no_credential: 1,
        unknown: 0,
      });
      assert.deepEqual([line.p50Ms, line.p99Ms], [400, 600]);
      assert.equal(line.faults.length, 5);
    });

    test("runs of a function that was not run, or of which every call was rejected, are part of no time", async (t) => {
      const { put, reader } = await newLedger(t);
      const ended = async (minute: number, more: Partial<RunReport>) => {
        const run = makeRun({ startedWallAt: MARCH + minute * MINUTE, kind: "func", functionId: "dfunc_sum" });
        await put(run, makeReport(run, { calls: [], tookMs: 1, ...more }));
      };
      await ended(0, { calls: [makeCall()], tookMs: 300 });
      await ended(1, { functionFault: "function.overloaded" });
      const overBudget = new Fault("source.budget_used", { budget: "bud_1" });
      await ended(2, {
        calls: [makeCall({ success: false, match: false, fault: overBudget, charged: "no", attempts: [] })],
      });
      const [line] = await reader.functionActivity({ functions: ["dfunc_sum"], ...SPAN });
      assert.deepEqual(line?.outcomes, { answered: 2, failed: 0, rejected: 1, unknown: 0 });
      assert.deepEqual([line.p50Ms, line.p99Ms, line.last], [300, 300, "answered"]);
    });

    test("what each budget has rejected is counted, and since when, over restarts and up to a bound", async (t) => {
      const ledger = await newLedger(t);
      const { reader } = ledger;
      const ask = (from: number, ...ids: string[]) =>
        reader.budgetRejections(ids.map((budgetId) => ({ budgetId, from })));
      assert.deepEqual(await ask(MARCH, "bud_1"), []);
      const rejectedBy = (budget: string, minute: number, more: Partial<CallReport> = {}) => ({
        minute,
        call: {
          success: false,
          match: false,
          fault: new Fault("source.budget_used", { budget, scope: "organization org_1" }),
          charged: "no" as const,
          attempts: [],
          ...more,
        },
      });
      const calls = [
        rejectedBy("bud_1", -5),
        rejectedBy("bud_1", 3),
        rejectedBy("bud_1", 7, { source: "bell__phone" }),
        rejectedBy("bud_2", 1),
        // One of its requests has an unknown charge.
        rejectedBy("bud_2", 4, { charged: "unknown", attempts: [makeAttempt({ charged: "unknown" })] }),
      ];
      for (const { minute, call } of calls) await recorded(ledger, minute, [call, {}]);
      await recorded(ledger, 2, [{ ...lost, charged: "unknown" }]);
      assert.deepEqual(await ask(MARCH, "bud_2", "bud_3", "bud_1"), [
        { budgetId: "bud_2", calls: 2, isMore: false, sinceWallAt: MARCH + MINUTE },
        { budgetId: "bud_1", calls: 2, isMore: false, sinceWallAt: MARCH + 3 * MINUTE },
      ]);
      assert.deepEqual(await ask(MARCH + 8 * MINUTE, "bud_1", "bud_2"), []);
      const all = await reader.budgetRejections([{ budgetId: "bud_1", from: 0 }]);
      assert.deepEqual([all[0]?.calls, all[0]?.sinceWallAt], [3, MARCH - 5 * MINUTE]);
      const many = Array.from({ length: 1_001 }, () => rejectedBy("bud_4", 9).call);
      await recorded(ledger, 9, many);
      const [bounded] = await ask(MARCH, "bud_4");
      assert.deepEqual([bounded?.calls, bounded?.isMore], [1_000, true]);
    });

    test("a credential that its vendor refuses stands apart from the others of its source", async (t) => {
      const ledger = await newLedger(t);
      for (let minute = 0; minute < 3; minute += 1) {
        await recorded(ledger, minute, [{ ...refused, credentialId: "cred_old" }, { credentialId: "cred_new" }]);
        await recorded(ledger, minute, [{ credentialId: null, credentialRule: "inline" }]);
      }
      const lines = await ledger.reader.activity({ by: "credential", ...SPAN });
      const told = lines.map(({ credentialId, faults, last }) => [credentialId, faults[0]?.calls ?? 0, last]);
      assert.deepEqual(
        new Set(told.map(String)),
        new Set(["cred_old,3,source.credential_rejected", "cred_new,0,match", ",0,match"]),
      );
    });

    test("charges to be settled are counted, and since when they are", async (t) => {
      const ledger = await newLedger(t);
      const count = () => ledger.reader.countUnknown();
      assert.deepEqual(await count(), { charges: 0, isMore: false, sinceWallAt: null });
      const open = (number: number) => makeAttempt({ number, charged: "unknown", sentWallAt: MARCH });
      await recorded(ledger, 2, [{ ...lost, charged: "unknown", attempts: [open(1), open(2)] }, {}]);
      await recorded(ledger, 1, [{ ...lost, charged: "unknown", attempts: [] }]);
      await recorded(ledger, 0, [{ ...lost, charged: "unknown", attempts: [open(1)] }], { simulated: true });
      await recorded(ledger, 0, [{}]);
      assert.deepEqual(await count(), { charges: 3, isMore: false, sinceWallAt: MARCH + MINUTE });
      assert.equal((await ledger.reader.unknown({ limit: 100 })).length, 3);
    });
  });
}
