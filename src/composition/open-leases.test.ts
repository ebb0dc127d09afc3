import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../test/rig/until.ts";
import { openJournal } from "../ledger/journal/journal-database.ts";
import { openStore } from "../storage/store.ts";
import { systemClock } from "../terms/time/clock.ts";
import { openLeasesOf } from "./open-leases.ts";

test("a start on the same data directory frees the calls in progress of the one before, and one on a copy does not", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-leases-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [dataDir, copy] = [join(folder, "data"), join(folder, "copy")];
  mkdirSync(join(dataDir, "ledger"), { recursive: true });
  openJournal(join(dataDir, "ledger"), 1_000_000, false).close();
  cpSync(dataDir, copy, { recursive: true });
  const store = await openStore({ dataDir: folder, clock: systemClock });
  t.after(() => store.close());
  /** Leases the rest of three concurrent units, and is killed. */
  const taken = async (where: string): Promise<number> => {
    let isAlive = true;
    const after: typeof systemClock.after = (delayMs, callback, hold) =>
      systemClock.after(delayMs, () => isAlive && callback(), hold);
    let answers = 0;
    const exchange: typeof store.leases.exchange = (...asks) =>
      store.leases.exchange(...asks).finally(() => (answers += 1));
    const leases = openLeasesOf({ ...store.leases, exchange }, where, { ...systemClock, after });
    const lease = leases.leaseOf({ name: "units", max: 3, everyMs: null, useMsMax: 60_000 }, "org");
    let units = 0;
    // Until the store has answered three times and given nothing.
    for (let without = 0; without < 3;) {
      if (lease.take(systemClock.now(), systemClock.now()) !== null) units += 1;
      else without += 1;
      lease.reportDemand(1, 1);
      const before = answers;
      await until(() => answers > before || units === 3);
    }
    isAlive = false;
    return units;
  };

  // One of the three is reserved for the process on the copy, which has requested some.
  assert.deepEqual([await taken(dataDir), await taken(copy), await taken(dataDir)], [3, 0, 2]);
});
