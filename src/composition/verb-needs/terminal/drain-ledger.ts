import { join } from "node:path";
import { endLeasesOf } from "../../open-budgets.ts";
import { drainJournal, type Drained } from "../../../ledger/drain/drain-journal.ts";
import { createLedgerReader } from "../../../ledger/read/ledger-reader.ts";
import type { OnProgress } from "../../../terms/on-progress.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import type { DeploymentRef } from "./deployment-ref.ts";

/**
 * Copies the runs of the data directory's journal to the shared ledger, and ends the budget leases of its process.
 * @throws OperatorError without a shared ledger, or while a service runs there
 */
export async function drainLedger(deployment: DeploymentRef, onProgress: OnProgress): Promise<Drained> {
  const { settings, clock, note } = deployment;
  const { dataDir, databaseUrl } = settings;
  if (databaseUrl === undefined) {
    throw new OperatorError("refused", "There is no shared ledger to send runs to: DATABASE_URL is not set.");
  }
  const { store } = await deployment.store();
  try {
    const drained = await drainJournal({ dir: join(dataDir, "ledger"), sink: store.ledger, clock, note, onProgress });
    const stay = await endLeasesOf({ store, dataDir, clock }, createLedgerReader(store.ledgerTables));
    if (stay > 0) note(HELD);
    return drained;
  } catch (error) {
    // Fails with the reason if it is already known that waiting will not help.
    await Promise.race([store.ready(), Promise.resolve()]);
    throw error;
  }
}

const HELD =
  "The service of this data directory reported its budget leases less than a minute ago, so they stay leased. If that service is dead, give the command again in a minute.";
