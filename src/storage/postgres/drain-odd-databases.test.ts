import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { newDatabase } from "../../../test/postgres/shared-postgres.ts";
import { until } from "../../../test/rig/until.ts";
import { Drainer } from "../../ledger/drain/drainer.ts";
import { atEnd, makeRun, query, runOnce, startLedger } from "../../ledger/ledger.kit.ts";
import { Outbox } from "../../ledger/drain/outbox.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { openStore } from "../store.ts";

test("runs that a shared database has lost are sent to it again automatically, also when nothing else happens", async (t) => {
  const databaseUrl = await newDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  atEnd(t, () => store.close());
  await store.ready();
  const { ledger, directory } = await startLedger(t);
  const events: unknown[] = [];
  const note = (fields: object): unknown => events.push((fields as { event?: unknown }).event);
  const drainer = new Drainer({
    dir: directory,
    ledger,
    sink: store.ledger,
    clock: systemClock,
    log: { info: note, warn: note, error: note },
    limits: { gatherMs: 1, checkMs: 50 },
  });
  atEnd(t, () => drainer.close());
  const client = new Client({ connectionString: databaseUrl });
  // The database is dropped at the end of the test, while this client is connected.
  client.on("error", () => {});
  await client.connect();
  atEnd(t, () => client.end());
  const arrived = async (): Promise<string[]> =>
    (await client.query<{ id: string }>("select transaction_id as id from ledger_runs order by 1")).rows.map(
      ({ id }) => id,
    );
  const untilArrived = async (ids: readonly string[]): Promise<void> => {
    await until(async () => (await arrived()).length === ids.length);
    assert.deepEqual(await arrived(), ids.toSorted());
  };
  const runs = [makeRun(), makeRun(), makeRun()];
  const ids = runs.map(({ transactionId }) => transactionId);
  for (const run of runs) await runOnce(ledger, run);
  await untilArrived(ids);
  await until(() => query(directory, "SELECT run FROM drained")[0]?.["run"] === 3);

  // An older copy of the database, with only the first run.
  await client.query("delete from ledger_runs where transaction_id <> $1", [ids[0]]);
  for (const table of ["ledger_calls", "ledger_attempts"])
    await client.query(`delete from ${table} where transaction_id <> $1`, [ids[0]]);
  await client.query("update ledger_outboxes set run = 1");
  await untilArrived(ids);
  assert.ok(events.includes("ledger_database_lost_runs"));

  // Another database, without any run.
  await client.query("truncate ledger_runs, ledger_calls, ledger_attempts, ledger_outboxes");
  const last = makeRun();
  await runOnce(ledger, last);
  await untilArrived([...ids, last.transactionId]);
  // The database has the runs before this process gets the confirmation.
  await until(() => drainer.state().pendingRuns === 0);
});

test("a row that PostgreSQL can never store is distinguished from a database that is unavailable", async (t) => {
  const databaseUrl = await newDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  atEnd(t, () => store.close());
  await store.ready();
  const { ledger, directory } = await startLedger(t);
  await runOnce(ledger);
  await ledger.flush();
  const outbox = new Outbox(directory);
  atEnd(t, () => outbox.close());
  const { runs } = (await outbox.next(1))!;
  const withoutOrganization = runs.runs.map((column) =>
    column.name === "organization_id" ? { ...column, values: [null] } : column,
  );
  const damaged = { ...runs, runs: withoutOrganization };
  await assert.rejects(store.ledger.write(damaged), { name: "LedgerRefused", message: "refused with 23502" });
  await store.close();
  await assert.rejects(store.ledger.write(runs), ({ name }) => name !== "LedgerRefused");
});
