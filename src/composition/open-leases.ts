import { join } from "node:path";
import { readJournalHolder } from "../ledger/read/journal-holder.ts";
import { openLeases, type OpenLeases } from "../limits/sources/leases.ts";
import type { LeaseStore } from "../limits/sources/ports.ts";
import type { Clock } from "../terms/clock.ts";
import { uuidV7 } from "../terms/ids.ts";

/**
 * The leases of this process. The file of its journal gives it its name, because only one process at a time has that:
 * whatever an earlier one with the same name had in use has ended with it.
 */
export function openLeasesOf(store: LeaseStore, dataDir: string, clock: Clock): OpenLeases {
  const start = uuidV7(clock.wall());
  const process = () => readJournalHolder(join(dataDir, "ledger")) ?? start;
  return openLeases({ store, clock, process, start });
}
