import type { DatabaseSync } from "node:sqlite";

/** One request, or a call that sent none of ours, of which nobody knows whether the vendor charged for it. */
export interface UnknownCharge {
  readonly transaction_id: string;
  readonly organization_id: string;
  readonly ordinal: number;
  readonly source: string;
  readonly fault_code: string | null;
  readonly credential_id: string | null;
  readonly credential_rule: string;
  /** `null` where the call has no attempt of its own. */
  readonly attempt: number | null;
  readonly origin: string | null;
  readonly method: string | null;
  readonly sent_at: number;
}

export function unknownCharges(database: DatabaseSync, limit: number): UnknownCharge[] {
  return database
    .prepare(
      `SELECT r.transaction_id, r.organization_id, u.ordinal, c.source, c.fault_code, c.credential_id,
         c.credential_rule, a.number AS attempt, a.origin, a.method, coalesce(a.sent_at, r.started_at) AS sent_at
       FROM unsettled AS u JOIN runs AS r ON r.id = u.run
       JOIN calls AS c ON c.run = u.run AND c.ordinal = u.ordinal
       LEFT JOIN attempts AS a ON a.run = u.run AND a.ordinal = u.ordinal AND a.number = u.number
       WHERE r.simulated = 0 ORDER BY u.run, u.ordinal, u.number LIMIT ?`,
    )
    .all(limit) as unknown as UnknownCharge[];
}
