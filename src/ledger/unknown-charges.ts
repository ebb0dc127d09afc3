import type { LedgerQuery } from "./ports.ts";

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

export async function unknownCharges(query: LedgerQuery, limit: number): Promise<readonly UnknownCharge[]> {
  return query(
    `SELECT r.transaction_id, r.organization_id, u.ordinal, c.source, c.fault_code, c.credential_id,
       c.credential_rule, a.number AS attempt, a.origin, a.method, coalesce(a.sent_at, r.started_at) AS sent_at
     FROM ledger_runs AS r JOIN ledger_unsettled AS u ON u.transaction_id = r.transaction_id
     JOIN ledger_calls AS c ON c.transaction_id = u.transaction_id AND c.ordinal = u.ordinal
     LEFT JOIN ledger_attempts AS a
       ON a.transaction_id = u.transaction_id AND a.ordinal = u.ordinal AND a.number = u.number
     WHERE r.has_unknown = 1 AND r.simulated = 0 ORDER BY r.started_at, u.transaction_id, u.ordinal, u.number LIMIT ?`,
    [limit],
  );
}
