import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { Client } from "pg";
import { newStoreDatabase } from "../../test/postgres/shared-postgres.ts";
import { copyEmbeddedTemplate } from "../../test/rig/embedded-template.ts";
import { systemClock } from "../terms/clock.ts";
import { accessContract } from "./access.kit.ts";
import { adminContract } from "./admin.kit.ts";
import { budgetsContract } from "./budgets.kit.ts";
import { engineUnderTest } from "./engines.kit.ts";
import { credentialsContract } from "./credentials.kit.ts";
import { keysContract } from "./keys.kit.ts";
import { leasesContract } from "./leases.kit.ts";
import { Outbox } from "../ledger/drain/outbox.ts";
import { createLedgerReader } from "../ledger/read/ledger-reader.ts";
import { ledgerActivityContract } from "../ledger/read/ledger-activity.kit.ts";
import { ledgerMoneyContract } from "../ledger/read/ledger-money.kit.ts";
import { ledgerReaderContract, type LedgerToRead } from "../ledger/read/ledger-reader.kit.ts";
import { settledChargesContract } from "../ledger/read/settled-charges.kit.ts";
import { runOnce, startLedger } from "../ledger/ledger.kit.ts";
import { ledgerContract } from "./ledger.kit.ts";
import { connectionOptions } from "./postgres/connection-options.ts";
import { STORE_FILE } from "./sqlite/engine.ts";
import { totalsContract } from "../ledger/totals/totals.kit.ts";
import { openStore, type Store, type StoreOptions } from "./store.ts";

/** The same guarantees on every engine. */
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
      const client = new Client(connectionOptions(databaseUrl));
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

for (const engine of [sqlite, postgres]) {
  accessContract(engine);
  credentialsContract(engine);
  adminContract(engine);
  keysContract(engine);
  ledgerContract(engine);
  leasesContract(engine);
  budgetsContract(engine);
  const newLedger = async (t: TestContext): Promise<LedgerToRead & { readonly store: Store }> => {
    const store = await (await engine.newStore(t))();
    const { ledger, directory } = await startLedger(t);
    // Every run goes the same way as in a service: journal, outbox, sink.
    const outbox = new Outbox(directory);
    t.after(() => outbox.close());
    const drain = async () => {
      for (let batch = await outbox.next(64); batch !== null; batch = await outbox.next(64)) {
        await store.ledger.write(batch.runs);
        outbox.wentOut(batch);
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
  };
  totalsContract(engine.name, async (t) => {
    const { store, put, reader } = await newLedger(t);
    return {
      tables: store.ledgerTables,
      verify: () => reader.verify(),
      put: (runs) => Promise.all(runs.map(([run, report]) => put(run, report))),
      prune: (startedBefore) => reader.prune(startedBefore, { unknownToo: true }),
    };
  });
  ledgerReaderContract(engine.name, newLedger);
  settledChargesContract(engine.name, newLedger);
  ledgerMoneyContract(engine.name, newLedger);
  ledgerActivityContract(engine.name, newLedger);
}
