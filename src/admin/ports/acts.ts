/** What was done, by whom, and how it is read again. */
import type { JsonObject } from "../../terms/json.ts";

export interface Actor {
  /**
   * In a terminal the operating system's user, over the admin API the operator's name; the service's own name for what
   * it does by itself.
   */
  readonly who: string;
  readonly via: "cli" | "api" | "service";
}

/** One act of an operator. Every change below is recorded in the audit trail in the same transaction. */
export interface Act extends Actor {
  /** The verb, such as `token create`. */
  readonly what: string;
  readonly wallAt: number;
}

/** Part of a list. Left out, `limit` is all of it, and `after`, the id of a line, its beginning. */
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

/** Selects entries. What is left out does not narrow the selection. */
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
   * For an act that changes nothing through this store, or many things through another port: rotating keys, replaying a
   * ledger.
   */
  recordAct(act: Act, entry: Pick<AuditEntry, "organizationId" | "subjectId" | "detail">): Promise<void>;
  auditEntries(filter: Page & AuditFilter): Promise<readonly AuditEntry[]>;
  /** Every name under which something was done, and every act that was done, sorted. */
  actors(): Promise<readonly string[]>;
  acts(): Promise<readonly string[]>;
  /** All acts with these names, not before `from` and before `to` (Unix ms), oldest first. */
  actsBetween(what: readonly string[], from: number, to: number): Promise<readonly AuditEntry[]>;
}
