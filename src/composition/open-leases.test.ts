import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openJournal } from "../ledger/journal/journal-database.ts";
import { openStore } from "../storage/store.ts";
import { systemClock } from "../terms/clock.ts";
import { openLeasesOf } from "./open-leases.ts";

test("with the embedded store, leases soon wait for the disk in a thread of their own, and what they grant is one sum", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-leases-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const store = await openStore({ dataDir, clock: systemClock });
  t.after(() => store.close());
  let here = 0;
  const counted: typeof store.leases = {
    exchange: (asks, rule) => {
      here += 1;
      return store.leases.exchange(asks, rule);
    },
    freeUnits: (...names) => store.leases.freeUnits(...names),
  };
  const leases = openLeasesOf({ ...store, leases: counted }, dataDir, systemClock);
  const granted = async (name: string): Promise<number> => {
    const lease = leases.leaseOf({ name, max: 3, everyMs: 366 * 86_400_000, useMsMax: 0 }, "org");
    let taken = 0;
    for (; lease.mayGrow(systemClock.now()) || lease.free(systemClock.now()) > 0;) {
      if (lease.take(systemClock.now(), 0) !== null) taken += 1;
      else await new Promise((resolve) => setImmediate(resolve));
    }
    return taken;
  };

  // More than three only if the store and the thread did not see the same rows.
  let sum = await granted("year");
  for (let served = false; !served;) {
    const before = here;
    await granted(`other ${before}`);
    served = here === before;
  }
  sum += await granted("year");
  await leases.close();

  assert.equal(sum, 3);
});

test("a start on the same data directory frees the calls in progress of the one before, and one on a copy does not", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-leases-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [dataDir, copy] = [join(folder, "data"), join(folder, "copy")];
  mkdirSync(join(dataDir, "ledger"), { recursive: true });
  openJournal(join(dataDir, "ledger"), 1_000_000, false).close();
  cpSync(dataDir, copy, { recursive: true });
  const store = await openStore({ dataDir: folder, clock: systemClock });
  t.after(() => store.close());
  // A store that processes on several machines share.
  const shared = { ...store, health: () => ({ ...store.health(), engine: "postgres" as const }) };
  /** Takes what is left of three units in use at once, and is killed. */
  const taken = async (where: string): Promise<number> => {
    let isAlive = true;
    const after: typeof systemClock.after = (delayMs, callback, hold) =>
      systemClock.after(delayMs, () => isAlive && callback(), hold);
    const leases = openLeasesOf(shared, where, { ...systemClock, after });
    const lease = leases.leaseOf({ name: "units", max: 3, everyMs: null, useMsMax: 60_000 }, "org");
    let units = 0;
    for (let asked = 0; asked < 3;) {
      if (lease.take(systemClock.now(), systemClock.now()) !== null) units += 1;
      else asked += 1;
      lease.want(1, 1);
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    isAlive = false;
    return units;
  };

  // One of the three is kept for the process on the copy, which wants some.
  assert.deepEqual([await taken(dataDir), await taken(copy), await taken(dataDir)], [3, 0, 2]);
});
