import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShadowResult } from "../admin/ports.ts";
import { ACT, anOrganization, aWorkflow, type EngineUnderTest } from "./engines.kit.ts";

const NONE = { same: 0, different: 0, missing: 0, added: 0, failed: 0, unrecorded: 0 };

/** The guarantees of the store of shadow results, on every engine. */
export function shadowsContract(engine: EngineUnderTest): void {
  const { name } = engine;

  test(`${name}: shadow results of several processes add up, with the newest runs`, async (t) => {
    const open = await engine.newStore(t);
    const stores = [await open(), await open()];
    const [first] = stores;
    const { id: workflowId } = (await first!.admin.createWorkflow(ACT, aWorkflow(await anOrganization(first!))))!;
    const result = (field: string, parts: Partial<ShadowResult>): ShadowResult => ({
      workflowId,
      functionId: "dfunc_x",
      version: "digest",
      field,
      counts: { ...NONE, same: 1 },
      transactionIds: [],
      ...parts,
    });
    const fields = ["", "b \u0000 \ud800 É \u001a", "a"];
    await Promise.all(
      stores.flatMap(({ admin }, at) =>
        Array.from({ length: 20 }, async (_, turn) => {
          const ordered = at === 0 ? fields : fields.toReversed();
          await admin.addShadowResults(
            ordered.map((field) => result(field, {})),
            turn,
          );
        }),
      ),
    );
    for (const transactionIds of [["trx_1"], Array.from({ length: 99 }, (_, at) => `trx_${101 - at}`), ["trx_102"]])
      await first!.admin.addShadowResults(
        [result("", { counts: { ...NONE, different: transactionIds.length }, transactionIds })],
        1,
      );
    await first!.admin.addShadowResults([result("a", { functionId: "dfunc_y" })], 1);
    const results = await stores[1]!.admin.shadowResults("dfunc_x", workflowId);
    assert.deepEqual(
      results.map(({ field, counts }) => [field, counts.same, counts.different]),
      [
        ["", 40, 101],
        ["a", 40, 0],
        [fields[1], 40, 0],
      ],
    );
    assert.deepEqual(
      results[0]!.transactionIds,
      Array.from({ length: 100 }, (_, at) => `trx_${102 - at}`),
    );
    assert.deepEqual(await first!.admin.shadowResults("dfunc_x", "wfl_other"), []);
  });

  test(`${name}: shadow results are removed by an act in the audit trail`, async (t) => {
    const store = await (await engine.newStore(t))();
    const { admin } = store;
    const { id: workflowId } = (await admin.createWorkflow(ACT, aWorkflow(await anOrganization(store))))!;
    const result = { workflowId, version: "digest", field: "", counts: NONE, transactionIds: [] };
    await admin.addShadowResults(
      ["dfunc_x", "dfunc_y"].map((functionId) => ({ ...result, functionId })),
      1,
    );
    const act = { ...ACT, what: "function reset-shadow" };
    assert.equal(await admin.resetShadowResults(act, "dfunc_x", "wfl_other"), null);
    assert.equal(await admin.resetShadowResults(act, "dfunc_x"), 1);
    assert.deepEqual(await admin.shadowResults("dfunc_x"), []);
    assert.equal((await admin.shadowResults("dfunc_y")).length, 1);
    const acts = (await admin.auditEntries({})).filter(({ what }) => what === act.what);
    assert.deepEqual(
      acts.map(({ subjectId }) => subjectId),
      ["dfunc_x"],
    );
  });
}
