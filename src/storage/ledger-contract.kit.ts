import { exportRuns } from "../ledger/read/export-runs.ts";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLedgerReader } from "../ledger/read/ledger-reader.ts";
import { pruneRuns } from "../ledger/journal/prune-runs.ts";
import { batchOf } from "../ledger/drain/batch-builder.ts";
import { attemptRow, callRow, runRow } from "../ledger/rows.kit.ts";
import type { RunReportRow } from "../ledger/ports.ts";
import { checksumOf } from "../ledger/journal/run-checksum.ts";
import { fromStorable } from "./storable-text.ts";
import type { EngineUnderTest } from "./engines.kit.ts";

export function ledgerContract(engine: EngineUnderTest): void {
  describe(`the ledger on ${engine.name}`, () => {
    test("every row of a run arrives unchanged, and arriving twice does not duplicate it", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const runs = ["trx_1", "trx_2"].map((id) => aRun(id, 3));
      await store.ledger.write(batchOf(runs));
      await store.ledger.write(batchOf(runs));
      await store.ledger.write(batchOf([]));

      assert.deepEqual(
        await place.rowsOf("ledger_runs"),
        runs.map(({ run }) => run),
      );
      assert.deepEqual(
        await place.rowsOf("ledger_calls"),
        runs.flatMap(({ calls }) => calls),
      );
      assert.deepEqual(
        await place.rowsOf("ledger_attempts"),
        runs.flatMap(({ attempts }) => attempts),
      );
    });

    test("text that no database can store as it is arrives unchanged too", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const texts = [
        "a\u0000b",
        "\u001a0000",
        "\ud83e",
        "\\u0000",
        'line\nand "quote" \u{1f989}',
        "null",
        "{a,b}",
        '\\"',
        "",
      ];
      const runs = texts.map((text, at) => {
        const report = aRun(`trx_${at}`, 1);
        return { ...report, run: { ...report.run, function_id: text } };
      });
      await store.ledger.write(batchOf(runs));
      const rows = (await place.rowsOf("ledger_runs")) as readonly { readonly function_id: string }[];
      assert.deepEqual(
        rows.map((row) => fromStorable(row.function_id)),
        texts,
      );
    });

    test("the last use of a credential is that of the newest run that took it", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const taken = (id: string, startedAt: number, credentialId: string): RunReportRow => {
        const report = aRun(id, 1);
        const calls = report.calls.map((call) => ({ ...call, credential_id: credentialId }));
        return { ...report, run: { ...report.run, started_at: startedAt }, calls };
      };
      await store.ledger.write(
        batchOf([taken("trx_3", 3_000, "cred_a"), taken("trx_1", 1_000, "cred_b"), taken("trx_2", 2_000, "cred_a")]),
      );
      const reader = createLedgerReader(store.ledgerTables);
      assert.deepEqual(await reader.lastUses(["cred_b", "cred_never", "cred_a"]), [
        { credentialId: "cred_b", wallAt: 1_000 },
        { credentialId: "cred_a", wallAt: 3_000 },
      ]);
    });

    test("a run that arrives again does not undo a settled charge", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const run = aRun("trx_1", 2, "unknown");
      await store.ledger.write(batchOf([run]));
      const reader = createLedgerReader(store.ledgerTables);
      const decision = { transactionId: "trx_1", ordinal: 0, charged: "no", decidedBy: "ada", decidedAt: 9 } as const;
      assert.equal((await reader.reconcile({ ...decision, note: "not billed" }))?.charged, "no");
      await store.ledger.write(batchOf([aRun("trx_0", 1), run, aRun("trx_2", 1)]));

      const kept = await reader.show("trx_1");
      assert.deepEqual(
        kept?.calls.map(({ charged }) => charged),
        ["no", "unknown"],
      );
      assert.deepEqual(
        kept.attempts.map(({ charged }) => charged),
        ["no", "unknown"],
      );
      assert.deepEqual(
        kept.reconciliations.map(({ note }) => note),
        ["not billed"],
      );
      assert.equal((await reader.list({})).runs.length, 3);
    });

    test("two operators who settle one charge at once are serialized, and one of them has changed it", async (t) => {
      const place = await engine.newPlace(t);
      const readers = [await place.open(), await place.open()].map((store) => createLedgerReader(store.ledgerTables));
      await (await place.open()).ledger.write(batchOf([aRun("trx_1", 1, "unknown")]));
      const decision = { transactionId: "trx_1", ordinal: 0, charged: "no", decidedAt: 9, note: "n" } as const;
      const changes = await Promise.all(
        readers.map((reader, at) => reader.reconcile({ ...decision, decidedBy: `operator ${at}` })),
      );
      const before = changes.map((change) => change!.requests.map((request) => request.before.charged).join(" "));
      assert.deepEqual(before.sort(), ["no", "unknown"]);
      const settled = (await readers[0]!.show("trx_1"))?.reconciliations;
      assert.deepEqual(
        settled?.map(({ revision }) => revision),
        [1, 2],
      );
      assert.equal(new Set(settled.map((one) => one.decided_by)).size, 2);
    });

    test("a run that a wrong clock dated in the future moves no clock", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const run = aRun("trx_2", 1);
      const ahead = { ...run, run: { ...run.run, started_at: Date.now() + 10_000 * 24 * 60 * 60 * 1_000 } };
      await store.ledger.write(batchOf([aRun("trx_1", 1), ahead]));
      const reader = createLedgerReader(store.ledgerTables);
      assert.equal((await reader.moment()).lastRunAt, 1_700_000_000_123);
    });

    test("a run that was deleted does not come back with a batch that is sent again, and one that was lost does", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const settle = { ordinal: 0, charged: "unknown", decidedBy: "ada", decidedAt: 9, note: "n" } as const;
      const old = ["trx_0192f0c1", "trx_0192f0c2"].map((id) => aRun(id, 2));
      const young = aRun("trx_0192f0c3", 1);
      const later = { ...young, run: { ...young.run, started_at: 1_800_000_000_000 } };
      const batch = batchOf([...old, later]);
      const mark = { journal: "one", after: 0, upTo: 3 };
      await store.ledger.write(batch, mark);
      const reader = createLedgerReader(store.ledgerTables);
      await reader.reconcile({ ...settle, transactionId: "trx_0192f0c2", attempt: 1 });
      const ids = async () =>
        (await place.rowsOf("ledger_runs")).map((row) => (row as { transaction_id: string }).transaction_id);
      assert.equal((await reader.prune(1_750_000_000_000)).deleted, 1);
      assert.deepEqual(await ids(), ["trx_0192f0c2", "trx_0192f0c3"]);

      await store.ledgerTables.query("DELETE FROM ledger_runs WHERE transaction_id = 'trx_0192f0c3'");
      await store.ledger.write(batch, mark);
      assert.deepEqual(await ids(), ["trx_0192f0c2", "trx_0192f0c3"]);
      for (const table of ["ledger_calls", "ledger_attempts"])
        assert.equal((await place.rowsOf(table)).length, 3, table);
      assert.equal((await reader.verify()).missing, 0);
    });

    test("a run of which a charge is reopened while old runs are deleted is kept", async (t) => {
      const { ledger, ledgerTables } = await (await engine.newPlace(t)).open();
      await ledger.write(batchOf([aRun("trx_1", 1), aRun("trx_2", 1)]));
      const reader = createLedgerReader(ledgerTables);
      const reopen = { charged: "unknown", decidedBy: "ada", decidedAt: 9, note: "n" } as const;
      let reopened: unknown;
      const tables: typeof ledgerTables = {
        ...ledgerTables,
        // Another operator's change, between the search for old runs and their deletion.
        async change(work) {
          reopened ??= await reader.reconcile({ ...reopen, transactionId: "trx_1", ordinal: 0, attempt: 1 });
          return ledgerTables.change(work);
        },
      };
      assert.equal((await pruneRuns(tables, Date.now(), false)).deleted, 1);
      const { runs } = await reader.list({});
      assert.deepEqual(
        runs.map((run) => run.transaction_id),
        ["trx_1"],
      );
    });

    test("a row that is altered or gone is named by its run, whatever is settled afterwards", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const runs = ["trx_1", "trx_2", "trx_3", "trx_4", "trx_5"].map((id) => aRun(id, 2, "unknown"));
      await store.ledger.write(batchOf([...runs.slice(0, 4).map(withChecksum), runs[4]!]));
      const { query } = store.ledgerTables;
      await query("UPDATE ledger_attempts SET status = 500 WHERE transaction_id = 'trx_2' AND ordinal = 1");
      await query("DELETE FROM ledger_calls WHERE transaction_id = 'trx_3' AND ordinal = 0");
      await query("DELETE FROM ledger_runs WHERE transaction_id = 'trx_4'");
      const reader = createLedgerReader(store.ledgerTables);
      const decision = { ordinal: 1, charged: "no", decidedBy: "ada", decidedAt: 9, note: "not billed" } as const;
      for (const transactionId of ["trx_1", "trx_2"]) await reader.reconcile({ ...decision, transactionId });

      const verified = await reader.verify();
      assert.deepEqual([verified.ok, verified.unchecked, verified.damaged, verified.missing], [1, 1, 2, 1]);
      assert.deepEqual(verified.findings.map(({ what, transactionId }) => `${transactionId} ${what}`).toSorted(), [
        "trx_2 altered",
        "trx_3 altered",
        "trx_4 missing",
      ]);
      assert.equal((await reader.show("trx_2"))?.damaged, true);
      const list = await reader.list({});
      assert.deepEqual(list.damaged.toSorted(), ["trx_2", "trx_3"]);
      assert.deepEqual(list.runs.map((run) => run.transaction_id).toSorted(), ["trx_1", "trx_5"]);
      const leftOut: string[] = [];
      let text = "";
      for await (const page of exportRuns(reader, {}, "jsonl")) {
        text += page.text;
        leftOut.push(...page.damaged);
      }
      assert.deepEqual(leftOut.toSorted(), ["trx_2", "trx_3"]);
      assert.equal(text.trim().split("\n").length, 2);
    });

    test("a run lost with all its rows is reported until it is back; a deleted one is not", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const spans = ["trx_0192f0c1", "trx_0192f0c2", "trx_0192f1c3", "trx_0193f1c4"];
      const batch = spans.map((id) => withChecksum(aRun(id, 2)));
      const mark = { journal: "one", after: 0, upTo: 4 };
      await store.ledger.write(batchOf(batch), mark);
      await store.ledger.write(batchOf(batch), mark);
      await store.ledger.write(batchOf([withChecksum(aRun("trx_0193f1c5", 1))]), { journal: "two", after: 0, upTo: 1 });
      const { query } = store.ledgerTables;
      const reader = createLedgerReader(store.ledgerTables);
      const missing = async () => (await reader.verify()).missing;
      assert.equal(await missing(), 0);

      const lose = async (id: string) => {
        for (const table of ["ledger_runs", "ledger_calls", "ledger_attempts"])
          await query(`DELETE FROM ${table} WHERE transaction_id = ?`, [id]);
      };
      for (const id of ["trx_0192f0c2", "trx_0193f1c5"]) await lose(id);
      const verified = await reader.verify();
      assert.deepEqual([verified.ok, verified.damaged, verified.missing], [3, 0, 2]);
      assert.deepEqual(verified.structure, [
        "runs that are gone and have left nothing: 1, of those whose ids begin with trx_0192f0",
        "runs that are gone and have left nothing: 1, of those whose ids begin with trx_0193f1",
      ]);
      await query("DELETE FROM ledger_runs WHERE transaction_id = 'trx_0192f0c1'");
      assert.equal(await missing(), 3, "one of which calls are left counts once");

      await store.ledger.write(batchOf(batch), mark);
      assert.equal(await missing(), 1);
      assert.equal((await reader.prune(Date.now(), { unknownToo: true })).deleted, 4);
      assert.equal(await missing(), 1);
      assert.deepEqual(await place.rowsOf("ledger_runs"), []);
    });

    test("a batch with a row that cannot be stored leaves nothing behind", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const bad = { ...aRun("trx_2", 1), attempts: [{ ...aRun("trx_2", 1).attempts[0]!, origin: null as never }] };
      await assert.rejects(store.ledger.write(batchOf([aRun("trx_1", 1), bad])));
      assert.deepEqual(await place.rowsOf("ledger_runs"), []);
      await store.ledger.write(batchOf([aRun("trx_1", 1)]));
      assert.equal((await place.rowsOf("ledger_runs")).length, 1);
    });

    test("the largest batch goes through, also from two journals at once that have runs in common", async (t) => {
      const place = await engine.newPlace(t);
      const stores = [await place.open(), await place.open()];
      const batch = Array.from({ length: 64 }, (_, at) => aRun(`trx_${at}`, 40));
      await Promise.all([
        stores[0]!.ledger.write(batchOf(batch)),
        stores[1]!.ledger.write(batchOf(batch.toReversed())),
      ]);
      assert.equal((await place.rowsOf("ledger_calls")).length, 64 * 40);
      // No cache depends on the ledger.
      assert.deepEqual(await place.rowsOf("datarun_changes"), [{ id: 1, changes: 1 }]);
    });
  });
}

function withChecksum(row: RunReportRow): RunReportRow {
  return { ...row, run: { ...row.run, checksum: checksumOf(row) } };
}

function aRun(transaction_id: string, calls: number, state: "ended" | "unknown" = "ended"): RunReportRow {
  const ordinals = Array.from({ length: calls }, (_, ordinal) => ordinal);
  const unknown = state === "unknown";
  return {
    run: runRow({
      transaction_id,
      state,
      kind: "data",
      organization_id: "org_1",
      workflow_id: "wfl_1",
      token_id: "tok_1",
      context: "prod",
      region: "eu",
      simulated: 0,
      started_at: 1_700_000_000_123,
      took_ms: unknown ? null : 45,
      client_gone: 0,
      has_unknown: unknown ? 1 : 0,
      verdicts: unknown ? 4 << 12 : 2 << 4,
      unknown_sources: 0,
    }),
    calls: ordinals.map((ordinal) =>
      callRow({
        transaction_id,
        ordinal,
        source: `acme__people\\u0000${ordinal}`,
        success: unknown ? null : 1,
        match: unknown ? null : 0,
        charged: unknown ? "unknown" : "yes",
        charges: unknown ? 4 : 2,
        credential_id: "cred_1",
        credential_rule: "default",
        started_after_ms: unknown ? null : 2,
        took_ms: unknown ? null : 40,
        output_bytes: unknown ? null : 5_000_000_000,
      }),
    ),
    attempts: ordinals.map((ordinal) =>
      attemptRow({
        transaction_id,
        ordinal,
        number: 1,
        origin: "https://vendor.example",
        method: "GET",
        sent_at: 1_700_000_000_124,
        status: unknown ? null : 200,
        took_ms: unknown ? null : 39,
        charged: unknown ? "unknown" : "yes",
        price: 1_000_000_000_000_000,
        currency: "EUR",
      }),
    ),
    reconciliations: [],
  };
}
