import type { Charged } from "../terms/fault.ts";
import type { AttemptRow, CallRow, LedgerQuery, LedgerTables } from "./ports.ts";
import { toStored } from "./stored-text.ts";
import { unsettledOf } from "./unsettled.ts";
import { verdictsOf } from "./verdicts.ts";

/** Somebody's word on an unknown charge, after a look at the vendor's invoice. */
export interface Reconciliation {
  readonly transactionId: string;
  readonly ordinal: number;
  /** Which request of the call; left out: every unknown one. */
  readonly attempt?: number;
  readonly charged: "yes" | "no";
  readonly decidedBy: string;
  readonly decidedAt: number;
  readonly note: string;
}

/** Stands where the number of an attempt is due. */
const CALL_ITSELF = 0;

export interface Settled {
  /** How many requests of the call it settled. */
  readonly attempts: number;
  /** What the whole call is charged now. */
  readonly charged: Charged;
}

/**
 * Settles unknown charges, or settles them again: what a vendor itself said is never overruled. Who, when and why are
 * kept, each time. `null` when there is nothing to settle.
 */
export function reconcileCharge(tables: LedgerTables, decision: Reconciliation): Promise<Settled | null> {
  return tables.change((query) => settle(query, decision));
}

async function settle(query: LedgerQuery, decision: Reconciliation): Promise<Settled | null> {
  const { attempt, charged } = decision;
  const call = [toStored(decision.transactionId), decision.ordinal] as const;
  const ofCall = "WHERE transaction_id = ? AND ordinal = ?";
  // Changes nothing, and makes whoever else settles this call wait until this is done.
  await query(`UPDATE ledger_calls SET charged = charged ${ofCall}`, call);
  const [found] = await query<{ readonly charged: Charged }>(`SELECT charged FROM ledger_calls ${ofCall}`, call);
  if (found === undefined) return null;
  const earlier = await query<{ readonly attempt: number }>(
    `SELECT attempt FROM ledger_reconciliations ${ofCall}`,
    call,
  );
  const settledBefore = (number: number): boolean => earlier.some((one) => one.attempt === number);
  const attempts = await query<{ readonly number: number; readonly charged: Charged }>(
    `SELECT number, charged FROM ledger_attempts ${ofCall} ORDER BY number`,
    call,
  );
  const open = attempts.filter((one) => one.charged === "unknown" || settledBefore(one.number));
  const numbers = open.map(({ number }) => number).filter((number) => attempt === undefined || attempt === number);
  // A call that sent nothing through the door has no attempt to settle: then the call itself is meant.
  const callItself =
    attempts.length === 0 && attempt === undefined && (found.charged === "unknown" || settledBefore(CALL_ITSELF));
  if (numbers.length === 0 && !callItself) return null;

  for (const number of numbers) {
    await query(`UPDATE ledger_attempts SET charged = ? ${ofCall} AND number = ?`, [charged, ...call, number]);
  }
  const now = attempts.map((one) => (numbers.includes(one.number) ? charged : one.charged));
  const chargedNow = callItself ? charged : chargeOfCall(now);
  await query(`UPDATE ledger_calls SET charged = ? ${ofCall}`, [chargedNow, ...call]);
  const said = [charged, toStored(decision.decidedBy), decision.decidedAt, toStored(decision.note)];
  for (const [at, number] of (callItself ? [CALL_ITSELF] : numbers).entries()) {
    await query(
      `INSERT INTO ledger_reconciliations
         (transaction_id, ordinal, revision, attempt, charged, decided_by, decided_at, note)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [...call, earlier.length + at + 1, number, ...said],
    );
  }
  await markRun(query, call[0]);
  return { attempts: numbers.length, charged: chargedNow };
}

/** What its lists are made by. */
async function markRun(query: LedgerQuery, transactionId: string): Promise<void> {
  const ofRun = "WHERE transaction_id = ?";
  const calls = await query<CallRow>(`SELECT * FROM ledger_calls ${ofRun}`, [transactionId]);
  const attempts = await query<AttemptRow>(`SELECT * FROM ledger_attempts ${ofRun}`, [transactionId]);
  const hasUnknown = unsettledOf({ calls, attempts }).length > 0 ? 1 : 0;
  await query(`UPDATE ledger_runs SET has_unknown = ?, verdicts = ? ${ofRun}`, [
    hasUnknown,
    verdictsOf(calls),
    transactionId,
  ]);
}

function chargeOfCall(attempts: readonly Charged[]): Charged {
  if (attempts.includes("unknown")) return "unknown";
  return attempts.includes("yes") ? "yes" : "no";
}
