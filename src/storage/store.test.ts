import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessContract } from "./access.contract.ts";
import { newDatabase } from "../../test/postgres/shared-postgres.ts";
import { systemClock } from "../terms/clock.ts";
import { adminContract } from "./admin.contract.ts";
import type { EngineUnderTest } from "./contract.ts";
import { credentialsContract } from "./credentials.contract.ts";
import { openStore } from "./store.ts";

/** The same guarantees on every engine. */
const sqlite: EngineUnderTest = {
  name: "SQLite",
  newStore: async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "datarun-store-"));
    t.after(() => rmSync(dataDir, { recursive: true }));
    return async () => {
      const store = await openStore({ dataDir, clock: systemClock });
      t.after(() => store.close());
      return store;
    };
  },
};

const postgres: EngineUnderTest = {
  name: "PostgreSQL",
  newStore: async (t) => {
    const databaseUrl = await newDatabase(t);
    return async () => {
      const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
      t.after(() => store.close());
      await store.ready();
      return store;
    };
  },
};

for (const engine of [sqlite, postgres]) {
  accessContract(engine);
  credentialsContract(engine);
  adminContract(engine);
}
