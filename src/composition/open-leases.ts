import { join } from "node:path";
import { readJournalHolder } from "../ledger/read/journal-holder.ts";
import { openLeases, type OpenLeases } from "../limits/sources/leases.ts";
import type { LeaseStore } from "../limits/sources/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { uuidV7 } from "../terms/ids.ts";

/**
 * The leases of this process, under the id of its journal file, which only one process at a time has open. Units that
 * an earlier process with this id had in use are therefore free again.
 */
export function openLeasesOf(store: LeaseStore, dataDir: string, clock: Clock): OpenLeases {
  const start = uuidV7(clock.wall());
  const process = () => readJournalHolder(join(dataDir, "ledger")) ?? start;
  return openLeases({ store, clock, process, start });
}
