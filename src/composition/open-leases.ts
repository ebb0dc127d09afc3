import { join } from "node:path";
import { readJournalId } from "../ledger/read/journal-id.ts";
import { openLeases, type OpenLeases } from "../leases/leases.ts";
import type { Store } from "../storage/store.ts";
import type { Clock } from "../terms/clock.ts";
import { uuidV7 } from "../terms/ids.ts";

/**
 * The leases of this process. Its journal gives it its name, because only one process at a time has that: whatever an
 * earlier one with the same name had in use has ended with it.
 */
export function openLeasesOf(store: Store, dataDir: string, clock: Clock): OpenLeases {
  const start = uuidV7(clock.wall());
  const process = () => readJournalId(join(dataDir, "ledger")) ?? start;
  return openLeases({ store: store.leases, clock, process, start });
}
