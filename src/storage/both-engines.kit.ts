import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { Client } from "pg";
import { newStoreDatabase } from "../../test/postgres/shared-postgres.ts";
import { copyEmbeddedTemplate } from "../../test/rig/embedded-template.ts";
import { runOnce, startLedger } from "../ledger/ledger.kit.ts";
import { Outbox } from "../ledger/drain/outbox.ts";
import { createLedgerReader } from "../ledger/read/ledger-reader.ts";
import type { LedgerToRead } from "../ledger/read/ledger-reader.kit.ts";
import type { LedgerToSum } from "../ledger/totals/totals.kit.ts";
import { systemClock } from "../terms/time/clock.ts";
import { engineUnderTest, type EngineUnderTest } from "./engines.kit.ts";
import { connectionOptions } from "./postgres/connection-options.ts";
import { STORE_FILE } from "./sqlite/engine.ts";
import { openStore, type Store, type StoreOptions } from "./store.ts";

const sqlite = engineUnderTest("SQLite", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-store-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  copyEmbeddedTemplate(dataDir);
  return {
    open: opener(t, { dataDir, clock: systemClock }),
    rowsOf: async (table) => {
      const database = new DatabaseSync(join(dataDir, STORE_FILE));
      const rows = database.prepare(`select * from ${table} order by 1, 2`).all();
      database.close();
      return rows.map((row) => Object.assign({}, row));
    },
  };
});

const postgres = engineUnderTest("PostgreSQL", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  return {
    open: opener(t, { dataDir: "", databaseUrl, clock: systemClock }),
    rowsOf: async (table) => {
      const client = new Client(connectionOptions(databaseUrl, 10_000));
      await client.connect();
      const { rows } = await client.query<object>(`select * from ${table} order by 1, 2`);
      await client.end();
      return rows;
    },
  };
});

function opener(t: TestContext, options: StoreOptions) {
  return async () => {
    const store = await openStore(options);
    t.after(() => store.close());
    await store.ready();
    return store;
  };
}

export const ENGINES: readonly EngineUnderTest[] = [sqlite, postgres];

/** A ledger in a new store of an engine. */
export async function newLedger(
  engine: EngineUnderTest,
  t: TestContext,
): Promise<LedgerToRead & { readonly store: Store }> {
  const store = await (await engine.newStore(t))();
  const { ledger, directory } = await startLedger(t);
  // Every run takes the same way as in a service: journal, outbox, sink.
  const outbox = new Outbox(directory);
  t.after(() => outbox.close());
  const drain = async () => {
    for (let batch = await outbox.next(64); batch !== null; batch = await outbox.next(64)) {
      await store.ledger.write(batch.runs);
      outbox.markSent(batch);
    }
  };
  let arrived: Promise<void> = Promise.resolve();
  return {
    store,
    put: async (run, report) => {
      await runOnce(ledger, run, report);
      await ledger.flush();
      await (arrived = arrived.then(drain));
    },
    reader: createLedgerReader(store.ledgerTables),
  };
}

export async function newLedgerToSum(engine: EngineUnderTest, t: TestContext): Promise<LedgerToSum> {
  const { store, put, reader } = await newLedger(engine, t);
  return {
    tables: store.ledgerTables,
    verify: () => reader.verify(),
    put: (runs) => Promise.all(runs.map(([run, report]) => put(run, report))),
    prune: (startedBefore) => reader.prune(startedBefore, { unknownToo: true }),
  };
}
