import { join } from "node:path";
import type { Act, CopiedStore } from "../../../admin/ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { proveRootKeys } from "../../../credentials/prove-root-keys.ts";
import { RootKeyError } from "../../../credentials/root-key.ts";
import { readRootKeys } from "../../../credentials/root-key-ring.ts";
import { LedgerInUse, lockDirectory } from "../../../ledger/journal/directory-lock.ts";
import { drainJournal } from "../../../ledger/drain/drain-journal.ts";
import { hasJournal } from "../../../ledger/journal/journal-file.ts";
import { copyTables } from "../../../storage/copy-tables.ts";
import { openEngine, createStore, type Store } from "../../../storage/store.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import type { OnProgress } from "../../../terms/on-progress.ts";
import { makeDirectory } from "../../../terms/platform/make-directory.ts";
import { VARIABLES } from "../../../terms/variables.ts";

export interface CopyOptions {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** The value of `DATARUN_ROOT_KEY`, or the content of its file. */
  readonly rootKey: string | undefined;
  readonly clock: Clock;
  readonly act: Act;
  readonly note: (sentence: string) => void;
  readonly onProgress: OnProgress;
}

/**
 * Copies a deployment from the embedded store to a shared one: first the store as a whole, then the ledger run by run,
 * which can be interrupted and continued. The data directory is not changed.
 * @throws OperatorError while a service runs there, or if the database is not empty or its root key is missing
 */
export async function copyStore(place: CopyOptions): Promise<CopiedStore> {
  const { dataDir, databaseUrl, rootKey, clock, act, onProgress } = place;
  if (databaseUrl === undefined) {
    throw new OperatorError("refused", "There is no database to copy to: DATABASE_URL is not set.");
  }
  await using opened = new AsyncDisposableStack();
  const source = opened.adopt(await openEngine({ dataDir, clock, opening: "look" }), (it) => it.close());
  const ledgerDir = join(dataDir, "ledger");
  makeDirectory(ledgerDir);
  const unlock = lockLedger(ledgerDir);
  opened.defer(unlock);
  await proveKeysGoAlong(createStore(source, clock), dataDir, rootKey);
  // Opened after the checks, so that a refused copy creates nothing.
  const target = await openEngine({ dataDir, databaseUrl, clock, opening: "make" });
  const to = opened.adopt(createStore(target, clock), (it) => it.close());
  // The first query waits for the database, and fails with a clear message if it cannot be used.
  await to.admin.organizations();
  const rows = await copyTables(source, target, act, onProgress);
  unlock();
  return { rows, ledgerRuns: await carryLedger(ledgerDir, to, place) };
}

async function carryLedger(dir: string, to: Store, { clock, note, onProgress }: CopyOptions): Promise<number> {
  if (!hasJournal(dir)) return 0;
  try {
    return (await drainJournal({ dir, sink: to.ledger, clock, note, onProgress, keep: true })).sent;
  } catch (cause) {
    const says = "The store is copied, but its ledger only in part. To copy the rest: datarun ledger drain";
    throw new OperatorError("unavailable", says, { cause });
  }
}

/** Checks that the root key in the variable opens everything that the key files open here. */
async function proveKeysGoAlong(from: Store, dataDir: string, variable: string | undefined): Promise<void> {
  const inFiles = await readRootKeys({ variable, directory: dataDir, store: from.keys });
  const here = await proveRootKeys(inFiles, from.keys).catch(refused);
  const given = await readRootKeys({ variable, directory: null, store: from.keys }).catch(refused);
  const there = await proveRootKeys(given, from.keys).catch((error: unknown) => {
    if (error instanceof RootKeyError && here.dataKeys === 0) return here;
    return refused(error);
  });
  if (there.unreadable <= here.unreadable) return;
  const lacking = there.lacking.filter((id) => !here.lacking.includes(id)).join(", ");
  throw new OperatorError(
    "refused",
    `${VARIABLES.rootKey} does not hold the root key ${lacking}, which is in a key file of ${dataDir}: give the line in that file.`,
  );
}

function lockLedger(ledgerDir: string): () => void {
  try {
    let unlock: (() => void) | undefined = lockDirectory(ledgerDir);
    return () => {
      unlock?.();
      unlock = undefined;
    };
  } catch (error) {
    if (!(error instanceof LedgerInUse)) throw error;
    throw new OperatorError(
      "refused",
      "A service runs on this data directory. Stop it first: its later writes would not be copied.",
      { cause: error },
    );
  }
}

function refused(error: unknown): never {
  if (!(error instanceof RootKeyError)) throw error;
  throw new OperatorError("refused", error.message, { cause: error });
}
