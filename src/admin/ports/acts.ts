/** Acts of operators, and the audit trail. */
import type { JsonObject } from "../../terms/json/json.ts";
import type { StateAct } from "./state-keys.ts";

export interface Actor {
  /**
   * In a terminal the operating system's user, over the admin API the operator's name, for the service's own acts its
   * name.
   */
  readonly who: string;
  readonly via: "cli" | "api" | "service";
  /** Set if a state file is being applied. */
  readonly state?: StateAct;
}

/** One act of an operator. Every change below is recorded in the audit trail in the same transaction. */
export interface Act extends Actor {
  /** The verb, such as `token create`. */
  readonly what: string;
  readonly wallAt: number;
}

/**
 * A page of a list: the first `limit` lines (all if left out) behind the line with the id `after` (from the start if
 * left out).
 */
export interface Page {
  readonly limit?: number;
  readonly after?: string;
}

export interface AuditEntry extends Act {
  readonly id: string;
  readonly organizationId: string | null;
  /** The id of the changed object. */
  readonly subjectId: string;
  /** The changes. Never contains a secret. */
  readonly detail: JsonObject;
}

/** Selects entries. Fields that are left out do not restrict the selection. */
export interface AuditFilter {
  readonly organizationId?: string;
  readonly who?: string;
  /** The act, such as `token create`. */
  readonly what?: string;
  /** The id of the changed object. */
  readonly subjectId?: string;
  /** Not before this moment (Unix ms). */
  readonly from?: number;
  /** Before this moment. */
  readonly to?: number;
}

export interface AuditTrail {
  /**
   * Records an act that changes nothing through this store, or many things through another port: rotating keys,
   * replaying a ledger.
   */
  recordAct(act: Act, entry: Pick<AuditEntry, "organizationId" | "subjectId" | "detail">): Promise<void>;
  auditEntries(filter: Page & AuditFilter): Promise<readonly AuditEntry[]>;
  /** All names and all acts in the audit trail, sorted. */
  actors(): Promise<readonly string[]>;
  acts(): Promise<readonly string[]>;
  /** All acts with these names, not before `from` and before `to` (Unix ms), oldest first. */
  actsBetween(what: readonly string[], from: number, to: number): Promise<readonly AuditEntry[]>;
}
