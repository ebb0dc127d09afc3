import type { Kysely, Transaction } from "kysely";
import { OperatorError } from "../terms/operator-error.ts";
import type { Tables } from "./schema.ts";

export type EngineName = "sqlite" | "postgres";

/** One database, as the port files use it. All differences between SQLite and PostgreSQL are behind this interface. */
export interface Engine {
  readonly name: EngineName;
  /** Settles once the store is migrated and can be queried. Rejects only with `StoreRefused`: waiting will not help. */
  ready(): Promise<void>;
  readonly reader: Kysely<Tables>;
  readonly writer: Kysely<Tables>;
  /** For notes that a power failure may lose: it commits without waiting for the disk. */
  readonly noter: Kysely<Tables>;
  /** Resolves when what `noter` has committed survives a power failure. Only the caller waits for the disk. */
  keepNotes(): Promise<void>;
  /** For an auditor's queries and changes, which may take minutes: no request ever waits for one. */
  readonly auditor: Kysely<Tables>;
  /** Notifies the other processes on this store, inside the transaction that makes the change. */
  announce(transaction: Transaction<Tables>, changes: number): Promise<void>;
  /** Keeps other processes from locking any of these names until the transaction ends. Names come in one order. */
  lockNames(transaction: Transaction<Tables>, names: readonly string[]): Promise<void>;
  /** Milliseconds since 1970 by the clock that all processes on this store share. */
  wallAt(db: Kysely<Tables>): Promise<number>;
  /** The number of the last change known here. Does not wait for I/O. */
  version(): number;
  health(): StoreHealth;
  close(): Promise<void>;
}

export interface StoreHealth {
  readonly engine: Engine["name"];
  readonly state: "ready" | "connecting" | "migrating" | "refused" | "closed";
  /** The class of the current problem, such as `ECONNREFUSED`; never an address or a password. */
  readonly problem: string | null;
  /** The same as a sentence for operators: it names host, database and user, and never a password. */
  readonly says: string | null;
  /** Whether changes by other processes are being noticed as they happen. */
  readonly watching: boolean;
}

/**
 * What opening a store may do to it. A service upgrades it to the newest schema. A verb that can be the first thing run
 * on a deployment makes a store if there is none. All other verbs change nothing: they create no store, and never
 * upgrade one that older services may be using.
 */
export type Opening = "upgrade" | "make" | "look";

/** That a shared store has become unavailable or available. Reported once, not for each failed query. */
export interface StoreNews {
  readonly event: "store_away" | "store_back";
  readonly says: string;
}

export interface OpenHow {
  readonly opening?: Opening;
  /** Set if the store must already exist: an empty place is then refused, whatever the opening. */
  readonly usedJournal?: JournalInUse | null;
  readonly tell?: (news: StoreNews) => void;
}

/** A journal with runs, whose organizations are in a store that was made earlier. */
export interface JournalInUse {
  readonly directory: string;
  /** Its runs go to a shared ledger. Otherwise it is a ledger of its own. */
  readonly isOutbox: boolean;
}

/** This version cannot use this store, or not in this way, and waiting will not help. */
export class StoreRefused extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super("refused", message, options);
    this.name = "StoreRefused";
  }
}

/** A store of an older version, which the start of a service would upgrade and looking at it must not. */
export class StoreOlder extends StoreRefused {}

/** There is no store to look at. */
export class StoreMissing extends OperatorError {
  constructor(where: string, advice: string) {
    super("not_found", `There is no store in ${where}. ${advice}`);
    this.name = "StoreMissing";
  }
}

/** There is no store in the place that was named, although the journal shows that there is one somewhere. */
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
