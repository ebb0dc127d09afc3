import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Client } from "pg";
import { newStoreDatabase } from "../../../test/postgres/shared-postgres.ts";
import { exportPage } from "../../ledger/read/export-runs.ts";
import type { LedgerFilter } from "../../ledger/read/ledger-filter.ts";
import { listRuns, type RunPage } from "../../ledger/read/list-runs.ts";
import { lastUses } from "../../ledger/read/last-uses.ts";
import { combinationsOfFilters, explained, plansOf } from "../../ledger/read/plans-of-lists.kit.ts";
import { sumSpend } from "../../ledger/read/sum-spend.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import { openStore } from "../store.ts";

const RUNS = 20_000;

test("no combination of filters makes a list of the shared ledger scan a table", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  for (const filter of combinationsOfFilters()) {
    for (const plan of await plansOf(store.ledgerTables, filter, "EXPLAIN"))
      assert.doesNotMatch(plan, /Seq Scan on ledger/, `${JSON.stringify(filter)}\n${plan}`);
  }
});

test("a list of a busy source for a time long ago reads only that time, on both sides of the join", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  for (const filter of [{}, { organizationId: "org_1" }, { charged: "yes", outcome: "match" }] as const) {
    const asked = { source: "acme__people", from: 1_000_000, to: 1_300_000, ...filter };
    for (const plan of await plansOf(store.ledgerTables, asked, "EXPLAIN (ANALYZE)")) {
      const passedOver = [...plan.matchAll(/Rows Removed by (?:Join )?Filter: (\d+)/g)].map(([, rows]) => Number(rows));
      // Half of the lines of that time belong to the other organization.
      assert.ok(Math.max(0, ...passedOver) < 500, `${JSON.stringify(filter)}\n${plan}`);
    }
  }
});

test("a sum of the shared ledger is read from totals, and the little beside them by index", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  const filter = { from: 0, to: 31 * DAY_MS, organizationId: "org_1" };
  const first = await sumSpend(store.ledgerTables, "source", filter);
  assert.equal(
    first.reduce((sum, { requests }) => sum + requests, 0),
    RUNS,
  );
  const { plans, tables } = explained(store.ledgerTables, "EXPLAIN (ANALYZE)");
  assert.deepEqual(await sumSpend(tables, "source", filter), first);
  assert.ok(plans.some((plan) => plan.includes("ledger_totals")));
  for (const plan of plans) {
    assert.doesNotMatch(plan, /Seq Scan on ledger_(?:runs|calls|attempts)/, plan);
    const read = [...plan.matchAll(/ledger_attempts.*actual time=\S+ rows=([\d.]+)/g)].map(([, rows]) => Number(rows));
    assert.deepEqual(
      read.filter((rows) => rows > 0),
      [],
      plan,
    );
  }
});

test("a list for what a source has never done does not read its runs", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  const plans = await plansOf(store.ledgerTables, { source: "acme__people", charged: "unknown" }, "EXPLAIN (ANALYZE)");
  for (const plan of plans) assert.doesNotMatch(plan, /ledger_runs/, plan);
});

test("a page of a busy function with a busy source that it hardly asks ends early, and the next one goes on there; so of an id that a caller sends with every request", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  const pagesOf = async (by: LedgerFilter, source: string, most: number): Promise<RunPage[]> => {
    const pages: RunPage[] = [];
    let after: string | undefined;
    do {
      const filter = { ...by, source };
      const page = await listRuns(store.ledgerTables, filter, after === undefined ? {} : { after });
      pages.push(page);
      after = page.next ?? undefined;
    } while (after !== undefined && pages.length < most);
    return pages;
  };
  for (const by of [{ functionId: "dfunc_odd" }, { clientRequestId: "always the same" }]) {
    const rare = await pagesOf(by, "bell__phone", 10);
    // Newest first, two seconds apart, 5,000 a page.
    assert.deepEqual(
      rare.map(({ runs, lookedBackTo }) => [runs.map(({ started_at: at }) => at), lookedBackTo]),
      [
        [[], 10_001_000],
        [[1_000], 1_000],
        [[], null],
      ],
    );
    const frequent = await pagesOf(by, "acme__people", 2);
    assert.deepEqual(
      frequent.flatMap(({ runs, lookedBackTo }) => [runs.length, runs[0]?.started_at, lookedBackTo]),
      [50, 19_999_000, null, 50, 19_899_000, null],
    );
  }
});

test("a run among many is read by its caller's ids alone, also for an export", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  const trace = createHash("md5").update("500").digest("hex");
  for (const filter of [
    { clientRequestId: "order-500" },
    { traceId: trace },
    { traceId: trace, organizationId: "org_0" },
  ]) {
    const { plans, tables } = explained(store.ledgerTables, "EXPLAIN (ANALYZE)");
    assert.equal((await listRuns(tables, filter, {})).runs[0]?.started_at, 500_000);
    assert.equal((await exportPage(tables, filter, "jsonl", null)).runs, 1);
    const read = [...plans.join("\n").matchAll(/actual time=\S+ rows=([\d.]+)/g)].map(([, rows]) => Number(rows));
    assert.ok(Math.max(...read) <= 2, plans.join("\n"));
  }
});

test("runs to be settled are looked at one by one, and not by reading all failed calls of a busy source", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`update ledger_calls set success = 0, match = 0, charged = 'no', charges = 1
    where ('x' || substr(transaction_id, 13, 4))::bit(16)::integer % 5 = 0`);
  await client.query("vacuum analyze ledger_calls");
  await client.end();
  const asked = { source: "acme__people", outcome: "failed", charged: "no" } as const;
  const [, settleFirst = ""] = await plansOf(store.ledgerTables, asked, "EXPLAIN (ANALYZE)");
  assert.match(settleFirst, /ledger_runs_unknown/);
  // With other statistics, a planner turns a semi join into a hash join over the calls.
  assert.doesNotMatch(settleFirst, /Semi Join/, settleFirst);
  assert.match(settleFirst, /SubPlan/, settleFirst);
});

test("the last use of a credential is one entry of an index, however often it was used", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await fill(databaseUrl);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    "update ledger_calls set credential_id = 'cred_' || ordinal where transaction_id < 'trx_000000400000'",
  );
  await client.query("vacuum analyze ledger_calls");
  await client.end();
  const { plans, tables } = explained(store.ledgerTables, "EXPLAIN (ANALYZE)");
  const uses = await lastUses(tables, ["cred_0", "cred_never", "cred_1"]);
  assert.deepEqual(uses, [
    { credentialId: "cred_0", wallAt: 4_194_000 },
    { credentialId: "cred_1", wallAt: 4_194_000 },
  ]);
  assert.match(plans.join(), /ledger_calls_of_credential/);
  const read = [...plans.join().matchAll(/actual time=[\d.]+ rows=(\d+)/g)].map(([, rows]) => Number(rows));
  assert.ok(Math.max(...read) <= 3, plans.join("\n"));
});

/**
 * Runs one second apart, of two organizations. Every second run also called another source, and one in a hundred
 * failed. The other runs called one function. Only the oldest of these called that source, and their caller sent one id
 * with all of them.
 */
async function fill(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    insert into ledger_runs (transaction_id, state, kind, function_id, organization_id, workflow_id, token_id, context, region,
      simulated, started_at, took_ms, client_gone, has_unknown, verdicts, unknown_sources, client_request_id, trace_id)
    select 'trx_' || lpad(to_hex(i * 1000), 12, '0') || substr(md5(i::text), 1, 20), 'ended', 'data',
      case when i % 2 = 1 then 'dfunc_odd' when i % 4 = 0 then 'dfunc_' || i % 8 end, 'org_' || i % 2, 'wfl_' || i % 2, 'tok_1', 'prod', 'eu', 0,
      i * 1000, 40, 0, (i % 50 = 0)::integer, case when i % 100 = 0 then 512 else 2 end, 0,
      case when i % 2 = 1 then 'always the same' else 'order-' || i end, md5(i::text)
    from generate_series(1, ${RUNS}) as i`);
  for (const ordinal of [0, 1]) {
    await client.query(`
      insert into ledger_calls (transaction_id, ordinal, source, success, match, charged, charges, credential_rule)
      select transaction_id, ${ordinal}, case when ${ordinal} = 1 and (started_at / 1000 % 2 = 0 or started_at = 1000) then 'bell__phone' else
        'acme__people' end, 1, 1, 'yes', 2, 'none' from ledger_runs`);
  }
  await client.query(`
    insert into ledger_attempts (transaction_id, ordinal, number, origin, method, sent_at, status, took_ms, charged)
    select transaction_id, ordinal, 1, 'https://vendor.example', 'GET', 0, 200, 20, charged from ledger_calls`);
  await client.query(`
    insert into ledger_reconciliations (transaction_id, ordinal, revision, attempt, charged, decided_by, decided_at, note)
    select transaction_id, ordinal, 1, 1, charged, 'ada', 0, 'on the invoice' from ledger_calls`);
  for (const table of ["ledger_runs", "ledger_calls", "ledger_attempts", "ledger_reconciliations"])
    await client.query(`vacuum analyze ${table}`);
  await client.end();
}
