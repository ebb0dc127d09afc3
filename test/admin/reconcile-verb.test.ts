import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/terms/json/json.ts";
import { unsettled } from "./unsettled.kit.ts";

test("a settlement that was cut short counts in its budgets when the command is given again, and once", async (t) => {
  const { open, settle, settleOnly, used, states } = await unsettled(t);
  await assert.rejects(settleOnly({ charged: "no" }, await open()), {
    code: "unavailable",
    message: /is settled in the ledger.*budgets do not count it yet.*Give the same command again, with --attempt 1:/,
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

test("a settlement that is refused is not announced, and nothing is settled that cannot be announced", async (t) => {
  const { open, settle, used, states, reader } = await unsettled(t);
  await assert.rejects(settle({ charged: "no", attempt: 3 }), { code: "refused" });
  await assert.rejects(settle({ charged: "no", call: 1 }), { code: "refused" });
  assert.deepEqual(await states(), []);
  const lost = await open();
  await lost.close();
  await assert.rejects(settle({ charged: "no" }, { on: lost }), /The store is closed/);
  assert.equal((await reader.unknown()).length, 2);
  assert.equal(await used(), 0n);
});

test("settling by an invoice shows what it would settle, settles it once, and goes on where it was cut short", async (t) => {
  const { open, settleInvoice, losing, used, states, reader, store, run } = await unsettled(t);
  const plan = await settleInvoice({ apply: false });
  assert.deepEqual(
    (plan["charges"] as JsonObject[]).map(({ transaction_id: id, attempt, charged }) => [id, attempt, charged]),
    [1, 2].map((attempt) => [run.transactionId, attempt, "no"]),
  );
  assert.deepEqual([plan["settled"], plan["to_settle"], await states()], [0, 2, []]);

  const lost = await open();
  await assert.rejects(settleInvoice({}, { on: lost, by: losing(lost) }), { code: "unavailable" });
  assert.deepEqual([(await reader.unknown()).length, await used()], [1, 0n], "one is settled, and no budget knows it");
  const again = await settleInvoice();
  assert.deepEqual([again["settled"], again["to_settle"], again["changed_budgets"]], [1, 0, "bud_1"]);
  assert.equal(await used(), -2n, "the one before counts too");
  assert.equal((await settleInvoice())["settled"], 0);
  assert.equal(await used(), -2n);

  const commands = await store.admin.auditEntries({ what: "ledger settle" });
  assert.deepEqual(
    commands.toReversed().map(({ detail }) => [detail["state"], detail["charges"], detail["settled"] ?? null]),
    [
      ["about to begin", 2, null],
      ["about to begin", 1, null],
      ["done", 1, 1],
    ],
  );
  assert.deepEqual(await states(), ["about to settle", "settled", "about to settle", "settled"]);
});

test("an invoice settles no more than the limit, and nothing if it may be about something else", async (t) => {
  const { settleInvoice, reader, run } = await unsettled(t);
  const first = await settleInvoice({ limit: 1 });
  assert.deepEqual([first["settled"], first["to_settle"]], [1, 1]);
  for (const [input, says] of [
    [{ invoice: "Run\ntrx_other\n" }, /nothing in common/],
    [{ invoice: "Run\n" }, /nothing in common/],
    [{ invoice: `Run;No\n${run.transactionId};x\n`, map: ["transaction=Run", "quantity=No"] }, /line 2.*not a whole/],
  ] as const)
    await assert.rejects(settleInvoice(input), says);
  assert.equal((await reader.unknown()).length, 1);
  // Two requests of the run are unsettled, and the invoice bills more than was sent.
  const billed = { invoice: `Run;No\n${run.transactionId};3\n`, map: ["transaction=Run", "quantity=No"] };
  assert.deepEqual([(await settleInvoice(billed))["settled"], (await reader.unknown()).length], [0, 1]);
  const both = { ...billed, invoice: `Run;No\n${run.transactionId};1\n` };
  assert.deepEqual([(await settleInvoice(both))["settled"], (await reader.unknown()).length], [1, 0]);
});

test("many charges are settled alike, each once, and a repeated command goes on where it was cut short", async (t) => {
  const { open, settleUnknown, losing, used, states, reader, store, run } = await unsettled(t);
  const plan = await settleUnknown({ apply: false });
  assert.deepEqual([plan["applied"], plan["to_settle"], (plan["charges"] as JsonObject[]).length], [false, 2, 2]);
  assert.deepEqual(await states(), []);

  const lost = await open();
  await assert.rejects(settleUnknown({}, { on: lost, by: losing(lost) }), { code: "unavailable" });
  assert.deepEqual([(await reader.unknown()).length, await used()], [1, 0n], "one is settled, and no budget knows it");
  const again = await settleUnknown();
  assert.deepEqual([again["settled"], again["to_settle"], again["changed_budgets"]], [1, 0, "bud_1"]);
  assert.equal(await used(), -2n, "the one before counts too");
  assert.equal((await settleUnknown())["settled"], 0);
  assert.equal(await used(), -2n);
  const [first] = await store.admin.auditEntries({ what: "ledger settle-unknown" });
  assert.equal(first!.detail["note"], "asked");
  assert.equal((await store.admin.auditEntries({ subjectId: run.transactionId })).length, 4);
});

test("all charges of a source in a time are settled, in parts, and nothing broader can be selected", async (t) => {
  const { settleUnknown, used, reader, run } = await unsettled(t);
  const [charge] = await reader.unknown();
  const at = (ms: number) => new Date(charge!.sent_at + ms).toISOString();
  const ofSource = { charge: undefined, source: charge!.source, from: at(-1_000), to: at(1_000) };
  for (const wrong of [{ source: "x" }, { charge: undefined }, { charge: undefined, source: "x", from: at(0) }])
    await assert.rejects(settleUnknown(wrong), { code: "usage" });
  const earlier = { ...ofSource, to: at(-500) };
  assert.equal((await settleUnknown(earlier))["settled"], 0);
  assert.equal((await settleUnknown({ ...ofSource, source: "other__source" }))["settled"], 0);
  const part = await settleUnknown({ ...ofSource, limit: 1 });
  assert.deepEqual([part["settled"], part["to_settle"]], [1, 1]);
  assert.deepEqual([(await settleUnknown(ofSource))["settled"], await used()], [1, -2n]);
  const shown = (await reader.show(run.transactionId))!;
  assert.deepEqual(
    shown.attempts.map(({ charged }) => charged),
    ["no", "no"],
  );
});
