import type { Kysely, Transaction } from "kysely";
import { OperatorError } from "../terms/operator-error.ts";
import type { Tables } from "./tables.ts";

export type EngineName = "sqlite" | "postgres";

/** One database, for the port files. All differences between SQLite and PostgreSQL are behind this interface. */
export interface Engine {
  readonly name: EngineName;
  /**
   * Settles once the store is migrated and can be queried. Rejects only with `StoreRefused`, when waiting will not
   * help.
   */
  ready(): Promise<void>;
  readonly reader: Kysely<Tables>;
  readonly writer: Kysely<Tables>;
  /** For writes that a power failure may lose: it commits without waiting for the disk. */
  readonly unsyncedWriter: Kysely<Tables>;
  /** Resolves when all commits of `unsyncedWriter` survive a power failure. Only the caller waits for the disk. */
  sync(): Promise<void>;
  /** For an auditor's queries and changes, which may take minutes. No request ever waits for one. */
  readonly auditor: Kysely<Tables>;
  /** Notifies the other processes on this store, inside the transaction that makes the change. */
  announce(transaction: Transaction<Tables>, changes: number): Promise<void>;
  /** Locks these names against other processes until the transaction ends. Pass names in a fixed order. */
  lockNames(transaction: Transaction<Tables>, names: readonly string[]): Promise<void>;
  /** Milliseconds since 1970 by the clock that all processes on this store share. */
  wallAt(db: Kysely<Tables>): Promise<number>;
  /** The number of the last change known in this process. Does not wait for I/O. */
  version(): number;
  health(): StoreHealth;
  close(): Promise<void>;
}

export interface StoreHealth {
  readonly engine: Engine["name"];
  readonly state: "ready" | "connecting" | "migrating" | "refused" | "closed";
  /** The class of the current problem, such as `ECONNREFUSED`; never an address or a password. */
  readonly problem: string | null;
  /** The problem as a sentence for operators, with host, database and user, and never with a password. */
  readonly says: string | null;
  /** Whether changes by other processes are noticed at once. */
  readonly watching: boolean;
}

/**
 * Permitted changes of a store when it is opened. `upgrade`, for a service: migrate to the newest schema. `make`, for a
 * verb that can be the first command on a deployment: create a store if there is none. `look`, for all other verbs:
 * change nothing, neither create a store nor upgrade one that older services may be using.
 */
export type Opening = "upgrade" | "make" | "look";

/** A shared store has become unavailable or available. Reported once, not for each failed query. */
export interface StoreNews {
  readonly event: "store_away" | "store_back";
  readonly says: string;
}

export interface OpenHow {
  readonly opening?: Opening;
  /** Set if the store must already exist: a missing store is then refused, whatever the opening. */
  readonly usedJournal?: JournalInUse | null;
  readonly onNews?: (news: StoreNews) => void;
}

/** A journal with runs. The store with their organizations was created earlier. */
export interface JournalInUse {
  readonly directory: string;
  /** Its runs go to a shared ledger. Otherwise the journal itself is the ledger. */
  readonly isOutbox: boolean;
}

/** This version cannot use this store, or not for this opening, and waiting will not help. */
export class StoreRefused extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super("refused", message, options);
    this.name = "StoreRefused";
  }
}

/** A store of an older version, which a service would upgrade at its start and `look` must not upgrade. */
export class StoreOlder extends StoreRefused {}

/** The store does not exist. */
export class StoreMissing extends OperatorError {
  constructor(where: string, advice: string) {
    super("not_found", `There is no store in ${where}. ${advice}`);
    this.name = "StoreMissing";
  }
}

/** The named store does not exist, although the journal shows that there is a store elsewhere. */
export class StoreElsewhere extends StoreRefused {
  constructor(where: string, engine: EngineName, { directory, isOutbox }: JournalInUse) {
    const whose = isOutbox ? "a shared ledger" : "a ledger of its own";
    const advice = engine === "postgres" ? ON_POSTGRES[whose] : ON_SQLITE[whose];
    super(
      `There is no store in ${where}, but the journal in ${directory} has runs of ${whose}. ${advice} For a new ledger, name a new data directory.`,
    );
  }
}

const ON_POSTGRES = {
  "a shared ledger": "Correct DATABASE_URL, or the search_path of its user.",
  "a ledger of its own": "To move it to this database: datarun store copy.",
};
const ON_SQLITE = {
  "a shared ledger": "Set DATABASE_URL to the database of that ledger.",
  "a ledger of its own": "Restore the store from a backup.",
};
