import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { newStoreDatabase } from "../../../test/postgres/shared-postgres.ts";
import { batchOf } from "../../ledger/drain/batch-builder.ts";
import { attemptRow, callRow, runRow } from "../../ledger/rows.kit.ts";
import type { LedgerTables, RunReportRow } from "../../ledger/ports.ts";
import { reconcileCharge } from "../../ledger/read/reconcile-charge.ts";
import { sumSpend } from "../../ledger/read/sum-spend.ts";
import { pruneRuns } from "../../ledger/journal/prune-runs.ts";
import { readSpans } from "../../ledger/totals/make-totals.ts";
import { assertEqualToRows } from "../../ledger/totals/sums-of-rows.kit.ts";
import { newId } from "../../terms/ids.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { openStore, type Store } from "../store.ts";

/** Rounds of each of two replicas. */
const ROUNDS = 45;
const DAY = 24 * 60 * 60 * 1_000;
const FIRST = Date.UTC(2026, 2, 1);
const SPAN = { from: FIRST, to: FIRST + 31 * DAY };

async function replicas(t: TestContext, count: number, prepare = async (_client: Client): Promise<void> => {}) {
  const databaseUrl = await newStoreDatabase(t);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  // The database is dropped before its connections are closed.
  client.on("error", () => {});
  t.after(() => client.end());
  await prepare(client);
  const stores: Store[] = [];
  for (let left = count; left > 0; left -= 1) {
    const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
    t.after(() => store.close());
    await store.ready();
    stores.push(store);
  }
  return { stores, client };
}

function aRun(startedAt: number): RunReportRow {
  const transaction_id = newId("transaction", startedAt);
  const of = { transaction_id, ordinal: 0 };
  const run = runRow({
    transaction_id,
    state: "ended",
    kind: "data",
    organization_id: "org_a",
    workflow_id: "wfl_a",
    token_id: "tok_a",
    context: "prod",
    region: "eu",
    simulated: 0,
    started_at: startedAt,
    took_ms: 5,
    client_gone: 0,
    has_unknown: 0,
    verdicts: 2,
    unknown_sources: 0,
  });
  const call = callRow({
    ...of,
    source: "acme__people",
    success: 1,
    match: 1,
    charged: "yes",
    charges: 2,
    credential_rule: "none",
    started_after_ms: 0,
    took_ms: 5,
    output_bytes: 9,
  });
  const attempt = attemptRow({
    ...of,
    number: 1,
    origin: "https://a.example",
    method: "GET",
    sent_at: startedAt,
    status: 200,
    took_ms: 5,
    charged: "yes",
    price: 350_000,
    currency: "EUR",
  });
  return { run, calls: [call], attempts: [attempt], reconciliations: [] };
}

const daysOf = async (tables: LedgerTables): Promise<readonly number[]> =>
  (await readSpans(tables, SPAN)).map(({ from }) => (from - FIRST) / DAY);

test("a run that another replica is bringing keeps its day from having totals until it is there", async (t) => {
  const { stores, client } = await replicas(t, 1);
  const { ledger, ledgerTables: tables } = stores[0]!;
  await ledger.write(batchOf([aRun(FIRST), aRun(FIRST + DAY)]));
  await client.query("begin");
  const [{ run }, attempt] = [
    aRun(FIRST + 5),
    "insert into ledger_attempts (transaction_id, ordinal, number, origin, method, sent_at, charged, price, currency) values ($1, 0, 1, '', '', $2, 'yes', 1, 'EUR')",
  ];
  const names = Object.keys(run);
  await client.query(
    `insert into ledger_runs (${names.join(", ")}) values (${names.map((_, at) => `$${at + 1}`).join(", ")})`,
    Object.values(run),
  );
  await client.query(
    "insert into ledger_calls (transaction_id, ordinal, source, charged, charges, credential_rule) values ($1, 0, 'bell__phone', 'yes', 2, 'none')",
    [run.transaction_id],
  );
  const sum = async () => (await sumSpend(tables, "org", SPAN)).map(({ requests }) => requests);
  assert.deepEqual(await sum(), [2]);
  assert.deepEqual(await daysOf(tables), [1]);
  await client.query(attempt, [run.transaction_id, run.started_at]);
  await client.query("commit");
  assert.deepEqual(await sum(), [3]);
  assert.deepEqual(await daysOf(tables), [0, 1]);
});

test("a statement by hand deletes totals wherever it looks for tables", async (t) => {
  const { stores, client } = await replicas(t, 1);
  const { ledger, ledgerTables: tables } = stores[0]!;
  await ledger.write(batchOf([aRun(FIRST), aRun(FIRST + DAY)]));
  await sumSpend(tables, "day", SPAN);
  assert.deepEqual(await daysOf(tables), [0, 1]);
  const { rows } = await client.query<{ of: string }>("select current_schema() as of");
  await client.query("set search_path = ''");
  await client.query(`update "${rows[0]!.of}".ledger_attempts set price = 1 where sent_at < ${FIRST + DAY}`);
  assert.deepEqual(await daysOf(tables), [1]);
  await assertEqualToRows(tables, "day", SPAN);
});

test("closing does not wait for an auditor's statement that takes long", { timeout: 60_000 }, async (t) => {
  const { stores } = await replicas(t, 1);
  const asked = assert.rejects(stores[0]!.ledgerTables.query("SELECT pg_sleep(200)"));
  await stores[0]!.close();
  await asked;
});

test("a database whose transactions see one moment only has no totals, and right sums", async (t) => {
  const { stores } = await replicas(t, 1, async (client) => {
    await client.query(`alter database ${client.database} set default_transaction_isolation = 'repeatable read'`);
  });
  const { ledger, ledgerTables: tables } = stores[0]!;
  await ledger.write(batchOf([aRun(FIRST), aRun(FIRST + DAY)]));
  await assertEqualToRows(tables, "day", SPAN);
  assert.deepEqual(await daysOf(tables), []);
});

test("while replicas bring, settle and delete runs and others ask, no sum is kept that is not right", async (t) => {
  const { stores } = await replicas(t, 3);
  const brought: string[] = [];
  let [asked, bringing] = [0, 2];
  const bring = async ({ ledger, ledgerTables }: Store, seed: number): Promise<void> => {
    for (let at = seed; at < seed + ROUNDS; at += 1) {
      const batch = [0, 1, 2].map((day) => aRun(FIRST + ((at * 7 + day) % 4) * DAY + at));
      await ledger.write(batchOf(batch));
      brought.push(...batch.map(({ run }) => run.transaction_id));
      const transactionId = brought[(at * 31) % brought.length]!;
      const charged = at % 2 === 0 ? "no" : "yes";
      if (at % 3 === 0)
        await reconcileCharge(ledgerTables, {
          transactionId,
          ordinal: 0,
          charged,
          decidedBy: "ada",
          decidedAt: 1,
          note: "n",
        });
      if (at % 15 === 14) await pruneRuns(ledgerTables, FIRST + at, true);
    }
    bringing -= 1;
  };
  const ask = async ({ ledgerTables }: Store): Promise<void> => {
    for (; bringing > 0; asked += 1) await sumSpend(ledgerTables, "day", SPAN);
  };
  await Promise.all([bring(stores[0]!, 0), bring(stores[1]!, 1_000), ask(stores[1]!), ask(stores[2]!)]);
  assert.ok(asked > 5, `${asked} sums while runs came`);
  const tables = stores[2]!.ledgerTables;
  for (const by of ["org", "day", "source"] as const) await assertEqualToRows(tables, by, SPAN);
  assert.equal((await daysOf(tables)).length, 4);
});

test("a change that PostgreSQL ends because it blocks another is done again, and no other failure is", async (t) => {
  const { stores } = await replicas(t, 1);
  const { ledgerTables: tables } = stores[0]!;
  let tries = 0;
  const failing = (code: string, times: number) => (): Promise<number> => {
    tries += 1;
    return tries > times ? Promise.resolve(tries) : Promise.reject(Object.assign(new Error("ended"), { code }));
  };
  assert.equal(await tables.change(failing("40P01", 3)), 4);
  tries = 0;
  await assert.rejects(tables.change(failing("40P01", 4)));
  assert.equal(tries, 4);
  tries = 0;
  await assert.rejects(tables.change(failing("23505", 1)));
  assert.equal(tries, 1);
});
