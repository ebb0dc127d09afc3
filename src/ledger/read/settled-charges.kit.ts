import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { makeAttempt, makeCall, makeReport, makeRun } from "../ledger.kit.ts";
import { MARCH, timedOut, type LedgerToRead } from "./ledger-reader.kit.ts";
import type { SettledCharge } from "./reconcile-charge.ts";
import { recordedCharge } from "./recorded-charge.ts";
import { renderTimeline } from "./render-timeline.ts";

const said = (settled: SettledCharge | null) => settled !== null && [settled.requests.length, settled.charged];

/** The possible settlements in every ledger, wherever its tables are. */
export function settledChargesContract(name: string, newLedger: (t: TestContext) => Promise<LedgerToRead>): void {
  describe(`settling charges on the ledger of ${name}`, () => {
    test("a run still verifies after its charges were settled, more than once", async (t) => {
      const { put, reader } = await newLedger(t);
      const runs = [makeRun(), makeRun(), makeRun()];
      for (const [at, run] of runs.entries())
        await put(run, makeReport(run, { calls: at === 0 ? [] : [makeCall(), timedOut] }));
      const settle = (charged: "yes" | "no" | "unknown", ordinal: number) => {
        const decision = { transactionId: runs[1]!.transactionId, ordinal, charged, decidedBy: "ada", note: "n" };
        return reader.reconcile({ ...decision, decidedAt: MARCH });
      };
      for (const charged of ["no", "yes", "unknown", "no"] as const) await settle(charged, 0);
      await Promise.all([settle("yes", 1), settle("yes", 0)]);
      const nothing = { damaged: 0, missing: 0, findings: [], structure: [] };
      assert.deepEqual(await reader.verify(), { ok: 3, unchecked: 0, ...nothing });
      const shown = await reader.show(runs[1]!.transactionId);
      assert.equal(shown?.damaged, false);
      assert.equal(shown.reconciliations.length > 4, true);
    });

    test("any charge can be settled, and settled again, with a name and a note, and every total follows", async (t) => {
      const { put, reader } = await newLedger(t);
      const run = makeRun({ startedWallAt: MARCH });
      await put(
        run,
        makeReport(run, { calls: [makeCall({ attempts: [makeAttempt({ sentWallAt: MARCH })] }), timedOut] }),
      );
      const { transactionId } = run;
      const decision = { transactionId, ordinal: 1, decidedBy: "ada", decidedAt: MARCH, note: "invoice 17" } as const;
      const counted = async () => {
        const [line] = (await reader.list({})).runs;
        const summary = await reader.summary("2026-03");
        const sum = (of: "charged_yes" | "charged_no" | "charged_unknown") =>
          summary.reduce((all, one) => all + one[of], 0);
        const listed = [line!.charged_yes, line!.charged_unknown];
        assert.deepEqual([sum("charged_yes"), sum("charged_unknown")], listed);
        assert.deepEqual([(await reader.unknown()).length, line!.has_unknown], [listed[1], listed[1] === 0 ? 0 : 1]);
        return [...listed, sum("charged_no")];
      };
      assert.deepEqual(await counted(), [1, 1, 1]);

      assert.deepEqual(said(await reader.reconcile({ ...decision, charged: "yes" })), [1, "yes"]);
      assert.deepEqual(await counted(), [2, 0, 1]);
      const credited = { ...decision, attempt: 2, charged: "no", note: "credited" } as const;
      assert.deepEqual(said(await reader.reconcile(credited)), [1, "no"]);
      assert.deepEqual(await counted(), [1, 0, 2]);
      const first = { ...decision, ordinal: 0, note: "not on it" } as const;
      assert.deepEqual(said(await reader.reconcile({ ...first, charged: "no" })), [1, "no"]);
      assert.deepEqual(await counted(), [0, 0, 3]);
      assert.deepEqual(said(await reader.reconcile({ ...first, charged: "unknown" })), [1, "unknown"]);
      assert.deepEqual(await counted(), [0, 1, 2]);
      const late = { ...decision, attempt: 1, charged: "yes", note: "it is on invoice 18" } as const;
      assert.deepEqual(said(await reader.reconcile(late)), [1, "yes"]);
      assert.deepEqual(await counted(), [1, 1, 1]);

      const row = await reader.show(transactionId);
      assert.deepEqual(
        [
          recordedCharge(row!, 0, 1),
          recordedCharge(row!, 1, 1),
          recordedCharge(row!, 1, 2),
          recordedCharge(row!, 1, 3),
        ],
        ["yes", "no", "unknown", null],
      );
      assert.deepEqual(
        row?.reconciliations.map((one) => [
          one.ordinal,
          one.revision,
          one.attempt,
          one.charged,
          one.decided_by,
          one.note,
        ]),
        [
          [0, 1, 1, "yes", "datarun", "as it was recorded"],
          [0, 2, 1, "no", "ada", "not on it"],
          [0, 3, 1, "unknown", "ada", "not on it"],
          [1, 1, 2, "yes", "ada", "invoice 17"],
          [1, 2, 2, "no", "ada", "credited"],
          [1, 3, 1, "no", "datarun", "as it was recorded"],
          [1, 4, 1, "yes", "ada", "it is on invoice 18"],
        ],
      );
    });

    test("an ambiguous or unknown charge is refused: no such run, call or request, or several requests that are all known", async (t) => {
      const { put, reader } = await newLedger(t);
      const run = makeRun();
      const twice = makeCall({ ordinal: 1, attempts: [makeAttempt(), makeAttempt({ number: 2 })] });
      await put(run, makeReport(run, { calls: [makeCall({ charged: "no", attempts: [] }), twice] }));
      const { transactionId } = run;
      const decision = {
        transactionId,
        ordinal: 1,
        charged: "no",
        decidedBy: "ada",
        decidedAt: MARCH,
        note: "n",
      } as const;
      const unclear = [{}, { transactionId: "trx_other" }, { ordinal: 0 }, { ordinal: 2 }, { attempt: 3 }];
      for (const change of unclear) assert.equal(await reader.reconcile({ ...decision, ...change }), null);
      assert.deepEqual(said(await reader.reconcile({ ...decision, attempt: 2 })), [1, "yes"]);
    });

    test("a call with an unknown charge and no request is settled as a call", async (t) => {
      const { put, reader } = await newLedger(t);
      const run = makeRun();
      await put(run, makeReport(run, { calls: [makeCall({ charged: "unknown", attempts: [] })] }));
      assert.equal((await reader.unknown())[0]?.attempt, null);
      const decision = {
        transactionId: run.transactionId,
        ordinal: 0,
        decidedBy: "ada",
        decidedAt: 1,
        note: "",
      } as const;
      assert.deepEqual(said(await reader.reconcile({ ...decision, charged: "no" })), [0, "no"]);
      assert.deepEqual(await reader.unknown(), []);
    });

    test("a charge settled by an operator with the service's own name counts as settled, and not as recorded by the service", async (t) => {
      const { put, reader } = await newLedger(t);
      const run = makeRun();
      const call = makeCall({ charged: "unknown", attempts: [makeAttempt({ charged: "unknown" })] });
      await put(run, makeReport(run, { calls: [call] }));
      const { transactionId } = run;
      const decision = {
        transactionId,
        ordinal: 0,
        charged: "no",
        decidedBy: "datarun",
        decidedAt: MARCH,
        note: "n",
      } as const;
      await reader.reconcile(decision);
      const shown = (await reader.show(transactionId))!;
      assert.equal(recordedCharge(shown, 0, 1), "unknown");
      assert.match(renderTimeline(shown), /settled as no for request 1 by datarun/);
    });
  });
}
