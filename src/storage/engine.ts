import type { Kysely, Transaction } from "kysely";
import { OperatorError } from "../terms/operator-error.ts";
import type { Tables } from "./schema.ts";

/** One database as the port files reach it. What SQLite and PostgreSQL do differently ends here. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Settles once the store is migrated and can be asked. Rejects only with `StoreRefused`: waiting will not help. */
  ready(): Promise<void>;
  readonly reader: Kysely<Tables>;
  readonly writer: Kysely<Tables>;
  /** For notes that a power failure may take: it commits without waiting for the disk. */
  readonly noter: Kysely<Tables>;
  /** For an auditor's questions and changes, which may take minutes: no request ever waits behind one. */
  readonly auditor: Kysely<Tables>;
  /** Tells the other processes on this store, from inside the transaction that makes the change. */
  announce(transaction: Transaction<Tables>, changes: number): Promise<void>;
  /** The number of the last change known here. No I/O that waits. */
  version(): number;
  health(): StoreHealth;
  close(): Promise<void>;
}

export interface StoreHealth {
  readonly engine: Engine["name"];
  readonly state: "ready" | "connecting" | "refused" | "closed";
  /** The class of what is wrong now, such as `ECONNREFUSED`; never an address or a password. */
  readonly problem: string | null;
  /** The same in a sentence for operators: it names host, database and user, and never a password. */
  readonly says: string | null;
  /** Whether changes made by other processes are being noticed as they happen. */
  readonly watching: boolean;
}

/**
 * What opening a store may do to it. A service brings it to the newest schema. A verb that a deployment may begin with makes
 * one where there is none. All others leave what they find: looking makes nothing, and never moves a store past the
 * services that run on it.
 */
export type Opening = "upgrade" | "make" | "look";

/** That a shared store is away, or there again. Told once, not for each question that fails. */
export interface StoreNews {
  readonly event: "store_away" | "store_back";
  readonly says: string;
}

export interface OpenHow {
  readonly opening?: Opening;
  readonly tell?: (news: StoreNews) => void;
}

/** This store cannot be used by this version or in this way, and waiting will not help. */
export class StoreRefused extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super("refused", message, options);
    this.name = "StoreRefused";
  }
}

/** There is nothing that could be looked at. */
export class StoreMissing extends OperatorError {
  constructor(where: string, advice: string) {
    super("not_found", `There is no store in ${where}. ${advice}`);
    this.name = "StoreMissing";
  }
}
