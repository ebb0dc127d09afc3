import { join } from "node:path";
import { readJournalHolder } from "../ledger/read/journal-holder.ts";
import { openLeaseThread, type LeaseThread } from "../leases/lease-thread.ts";
import { openLeases, type OpenLeases } from "../leases/leases.ts";
import type { Store } from "../storage/store.ts";
import type { Clock } from "../terms/clock.ts";
import { uuidV7 } from "../terms/ids.ts";
import { moduleBeside } from "../terms/module-beside.ts";
import type { LeaseWorkerData } from "./lease-worker.ts";

/**
 * The leases of this process. The file of its journal gives it its name, because only one process at a time has that:
 * whatever an earlier one with the same name had in use has ended with it.
 */
export function openLeasesOf(store: Store, dataDir: string, clock: Clock): OpenLeases {
  const start = uuidV7(clock.wall());
  const process = () => readJournalHolder(join(dataDir, "ledger")) ?? start;
  const thread = store.health().engine === "sqlite" ? openThread(store, dataDir, clock) : null;
  const leases = openLeases({ store: thread ?? store.leases, clock, process, start });
  return {
    leaseOf: leases.leaseOf,
    async close() {
      await leases.close();
      await thread?.close();
    },
  };
}

function openThread(store: Store, dataDir: string, clock: Clock): LeaseThread {
  const workerData: LeaseWorkerData = { dataDir };
  const entry = moduleBeside("./lease-worker.ts", import.meta.url);
  return openLeaseThread({ entry, workerData, meanwhile: store.leases, clock });
}
