import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RunReportRow } from "../ledger/ports.ts";
import type { EngineUnderTest } from "./contract.ts";

export function ledgerContract(engine: EngineUnderTest): void {
  describe(`the ledger on ${engine.name}`, () => {
    test("every row of a run arrives as it was, and comes again without becoming two", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const runs = ["trx_1", "trx_2"].map((id) => aRun(id, 3));
      await store.ledger.write(runs);
      await store.ledger.write(runs);
      await store.ledger.write([]);

      assert.deepEqual(await place.rowsOf("ledger_runs"), runs.map(({ run }) => run)); // prettier-ignore
      assert.deepEqual(await place.rowsOf("ledger_calls"), runs.flatMap(({ calls }) => calls)); // prettier-ignore
      assert.deepEqual(await place.rowsOf("ledger_attempts"), runs.flatMap(({ attempts }) => attempts)); // prettier-ignore
    });

    test("a run that was unknown and is settled later is replaced by what came last", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const before = aRun("trx_1", 1, "unknown");
      const settled = {
        transaction_id: "trx_1",
        ordinal: 0,
        revision: 1,
        charged: "no" as const,
        decided_by: "ada",
        decided_at: 9,
        note: "not on the invoice",
        attempt: 1,
      };
      const after = { ...aRun("trx_1", 1), reconciliations: [settled] };
      await store.ledger.write([before]);
      await store.ledger.write([before, after]);

      assert.deepEqual(await place.rowsOf("ledger_runs"), [after.run]);
      assert.deepEqual(await place.rowsOf("ledger_reconciliations"), [settled]);
    });

    test("a batch with a row that cannot be kept leaves nothing behind", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const bad = { ...aRun("trx_2", 1), attempts: [{ ...aRun("trx_2", 1).attempts[0]!, origin: null as never }] };
      await assert.rejects(store.ledger.write([aRun("trx_1", 1), bad]));
      assert.deepEqual(await place.rowsOf("ledger_runs"), []);
      await store.ledger.write([aRun("trx_1", 1)]);
      assert.equal((await place.rowsOf("ledger_runs")).length, 1);
    });

    test("the largest batch goes through, also from two journals at once that have runs in common", async (t) => {
      const place = await engine.newPlace(t);
      const stores = [await place.open(), await place.open()];
      const batch = Array.from({ length: 64 }, (_, at) => aRun(`trx_${at}`, 40));
      await Promise.all([stores[0]!.ledger.write(batch), stores[1]!.ledger.write(batch.toReversed())]);
      assert.equal((await place.rowsOf("ledger_calls")).length, 64 * 40);
      // No cache rests on the ledger.
      assert.deepEqual(await place.rowsOf("datarun_changes"), [{ id: 1, changes: 1 }]);
    });
  });
}

function aRun(transaction_id: string, calls: number, state: "ended" | "unknown" = "ended"): RunReportRow {
  const ordinals = Array.from({ length: calls }, (_, ordinal) => ordinal);
  const unknown = state === "unknown";
  return {
    run: {
      transaction_id,
      state,
      kind: "data",
      organization_id: "org_1",
      workflow_id: "wfl_1",
      token_id: "tok_1",
      context: "prod",
      region: "eu",
      simulated: 0,
      function_id: null,
      started_at: 1_700_000_000_123,
      took_ms: unknown ? null : 45,
      client_gone: 0,
      function_fault: null,
    },
    calls: ordinals.map((ordinal) => ({
      transaction_id,
      ordinal,
      source: `acme__people\\u0000${ordinal}`,
      success: unknown ? null : 1,
      match: unknown ? null : 0,
      fault_code: null,
      fault_kind: null,
      charged: unknown ? "unknown" : "yes",
      credential_id: "cred_1",
      credential_rule: "default",
      started_after_ms: unknown ? null : 2,
      took_ms: unknown ? null : 40,
      output_bytes: unknown ? null : 5_000_000_000,
    })),
    attempts: ordinals.map((ordinal) => ({
      transaction_id,
      ordinal,
      number: 1,
      origin: "https://vendor.example",
      method: "GET",
      sent_at: 1_700_000_000_124,
      status: unknown ? null : 200,
      took_ms: unknown ? null : 39,
      charged: unknown ? "unknown" : "yes",
    })),
    reconciliations: [],
  };
}
