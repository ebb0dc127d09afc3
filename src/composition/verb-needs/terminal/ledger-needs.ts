import { join } from "node:path";
import type { VerbNeeds } from "../../../admin/needs.ts";
import { drainJournal } from "../../../ledger/drain/drain-journal.ts";
import { undrainedText } from "../../../ledger/drain/undrained-text.ts";
import { hasJournal } from "../../../ledger/journal/journal-tables.ts";
import { openJournalReader } from "../../../ledger/read/journal-reader.ts";
import { createLedgerReader } from "../../../ledger/read/ledger-reader.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { unavailable, type DeploymentRef } from "./deployment-ref.ts";

/** The shared ledger, or this data directory's own; and the drain from one to the other. */
export function ledgerNeeds({
  dataDir,
  databaseUrl,
  clock,
  note,
  once,
  store: open,
}: DeploymentRef): Pick<VerbNeeds, "ledger" | "ledgersHere" | "drainLedger"> {
  const dir = join(dataDir, "ledger");
  const journal = once(
    async () => {
      try {
        return openJournalReader({ dir });
      } catch (error) {
        return unavailable(error);
      }
    },
    (reader) => reader.close(),
  );
  const shared = async () => createLedgerReader((await open()).store.ledgerTables);
  const ledger = async () => {
    if (databaseUrl === undefined) return journal();
    if (hasJournal(dir)) {
      const waiting = await (await journal()).undrained((await open()).store.ledgerTables);
      if (waiting > 0) note(undrainedText(waiting));
    }
    return shared();
  };
  return {
    ledger,
    ledgersHere: async () => [
      ...(databaseUrl === undefined ? [] : [{ place: "shared", open: shared } as const]),
      ...(databaseUrl === undefined || hasJournal(dir) ? [{ place: "journal", open: journal } as const] : []),
    ],
    drainLedger: async (onProgress) => {
      if (databaseUrl === undefined) {
        throw new OperatorError("refused", "There is no shared ledger to send runs to: DATABASE_URL is not set.");
      }
      const { store } = await open();
      try {
        const drained = await drainJournal({ dir, sink: store.ledger, clock, note, onProgress });
        const { endLeasesOf } = await import("../../open-budgets.ts");
        const stay = await endLeasesOf({ store, dataDir, clock }, await shared());
        if (stay > 0) note(HELD);
        return drained;
      } catch (error) {
        // Fails with the reason if it is already known that waiting will not help.
        await Promise.race([store.ready(), Promise.resolve()]);
        throw error;
      }
    },
  };
}

const HELD =
  "The service of this data directory reported its budget leases less than a minute ago, so they stay leased. If that service is dead, give the command again in a minute.";
