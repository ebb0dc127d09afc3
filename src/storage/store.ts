import type { AccessStore } from "../access/ports.ts";
import type { AdminStore, LoginCodeStore, SessionStore } from "../admin/ports.ts";
import type { BudgetStore } from "../limits/budgets/ports.ts";
import type { LeaseStore } from "../limits/sources/ports.ts";
import type { CallCounts, CredentialStore, KeyStore } from "../credentials/ports.ts";
import type { LedgerSink, LedgerTables } from "../ledger/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { createAccessStore } from "./access-store.ts";
import { createAdminStore } from "./admin-store.ts";
import { createBudgetStore } from "./budget-store.ts";
import { createCallCounts } from "./call-counts.ts";
import { createCredentialStore, createKeyStore } from "./credential-store.ts";
import type { Engine, StoreHealth } from "./engine.ts";
import { createLedgerSink } from "./ledger-sink.ts";
import { createLeaseStore } from "./lease-store.ts";
import { createLedgerTables } from "./ledger-tables.ts";
import { openEngine, type StoreOptions } from "./open-engine.ts";
import { reportUnavailable } from "./report-unavailable.ts";
import { createSessionStore } from "./session-store.ts";

export { cannotBeOpened } from "./sqlite/engine.ts";

export { openEngine, type StoreOptions } from "./open-engine.ts";
export { StoreMissing, StoreOlder, StoreRefused } from "./engine.ts";
export type { Opening, StoreHealth, StoreNews, JournalInUse } from "./engine.ts";

/** One store, with an implementation of every port that needs it. */
export interface Store {
  readonly access: AccessStore;
  readonly credentials: CredentialStore;
  readonly keys: KeyStore;
  readonly callCounts: CallCounts;
  readonly admin: AdminStore;
  readonly sessions: SessionStore & LoginCodeStore;
  /** The target of journals' drains. */
  readonly ledger: LedgerSink;
  /** The shared ledger, for operators and auditors. */
  readonly ledgerTables: LedgerTables;
  /** The leases of limits that processes share. */
  readonly leases: LeaseStore;
  /** The budgets, and their leases. */
  readonly budgets: BudgetStore;
  /** Settles once the store can be queried. Rejects with `StoreRefused` or `StoreMissing` if waiting will not help. */
  ready(): Promise<void>;
  /** Does no I/O. */
  health(): StoreHealth;
  close(): Promise<void>;
}

/**
 * Opens the store of a deployment. The embedded store is migrated and ready when this resolves. A PostgreSQL may be
 * unavailable now or later: this resolves anyway, and `ready` reports when it can be used.
 * @throws StoreRefused, StoreMissing
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  return createStore(await openEngine(options), options.clock);
}

export function createStore(engine: Engine, clock: Clock): Store {
  return {
    access: createAccessStore(engine, clock),
    credentials: createCredentialStore(engine, clock),
    callCounts: createCallCounts(engine, clock),
    keys: reportUnavailable(engine, clock, createKeyStore(engine, clock)),
    admin: reportUnavailable(engine, clock, createAdminStore(engine)),
    sessions: reportUnavailable(engine, clock, createSessionStore(engine)),
    ledger: createLedgerSink(engine),
    ledgerTables: createLedgerTables(engine, clock),
    leases: createLeaseStore(engine),
    budgets: createBudgetStore(engine, clock),
    ready: () => engine.ready(),
    health: () => engine.health(),
    close: () => engine.close(),
  };
}
