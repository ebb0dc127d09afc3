import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
    for (; lease.mayGrow(systemClock.now()) || lease.isFree(systemClock.now());) {
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
