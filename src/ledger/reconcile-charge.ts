import type { DatabaseSync } from "node:sqlite";
import type { Charged } from "../terms/fault.ts";
import { toStored } from "./stored-text.ts";

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

/**
 * Settles unknown charges, or settles them again: what a vendor itself said is never overruled. Who, when and why are
 * kept, each time. Answers with how many requests it settled and what the whole call is charged now.
 */
export function reconcileCharge(
  database: DatabaseSync,
  decision: Reconciliation,
): { readonly attempts: number; readonly charged: Charged } | null {
  database.exec("BEGIN IMMEDIATE");
  try {
    const settled = settle(database, decision);
    database.exec("COMMIT");
    return settled;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function settle(
  database: DatabaseSync,
  decision: Reconciliation,
): { readonly attempts: number; readonly charged: Charged } | null {
  const { ordinal, attempt } = decision;
  const found = database
    .prepare(
      `SELECT c.run, c.charged FROM calls AS c JOIN runs AS r ON r.id = c.run
       WHERE r.transaction_id = ? AND c.ordinal = ?`,
    )
    .get(toStored(decision.transactionId), ordinal) as { run: number; charged: Charged } | undefined;
  if (found === undefined) return null;
  const { run } = found;
  const earlier = database
    .prepare("SELECT attempt FROM reconciliations WHERE run = ? AND ordinal = ?")
    .all(run, ordinal) as { attempt: number }[];
  const settledBefore = (number: number): boolean => earlier.some((one) => one.attempt === number);
  const attempts = database
    .prepare("SELECT number, charged FROM attempts WHERE run = ? AND ordinal = ?")
    .all(run, ordinal) as { number: number; charged: Charged }[];
  const open = attempts.filter(({ number, charged }) => charged === "unknown" || settledBefore(number));
  const numbers = open.map(({ number }) => number).filter((number) => attempt === undefined || attempt === number);
  // A call that sent nothing through the door has no attempt to settle: then the call itself is meant.
  const callItself =
    attempts.length === 0 && attempt === undefined && (found.charged === "unknown" || settledBefore(CALL_ITSELF));
  if (numbers.length === 0 && !callItself) return null;

  const setAttempt = database.prepare("UPDATE attempts SET charged = ? WHERE run = ? AND ordinal = ? AND number = ?");
  for (const number of numbers) setAttempt.run(decision.charged, run, ordinal, number);
  const charged = callItself ? decision.charged : chargeOfCall(database, run, ordinal);
  database.prepare("UPDATE calls SET charged = ? WHERE run = ? AND ordinal = ?").run(charged, run, ordinal);
  const insert = database.prepare(
    `INSERT INTO reconciliations (run, ordinal, revision, attempt, charged, decided_by, decided_at, note)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let revision = earlier.length;
  for (const number of callItself ? [CALL_ITSELF] : numbers) {
    revision += 1;
    const { decidedBy, decidedAt, note } = decision;
    insert.run(run, ordinal, revision, number, decision.charged, toStored(decidedBy), decidedAt, toStored(note));
  }
  // Where there is an outbox, it has to carry this as well, whether or not the run has gone out before.
  database.prepare("INSERT INTO revised (run) SELECT ? FROM drained").run(run);
  return { attempts: numbers.length, charged };
}

function chargeOfCall(database: DatabaseSync, run: number, ordinal: number): Charged {
  const { yes, unknown } = database
    .prepare(
      `SELECT coalesce(sum(charged = 'yes'), 0) AS yes, coalesce(sum(charged = 'unknown'), 0) AS unknown
       FROM attempts WHERE run = ? AND ordinal = ?`,
    )
    .get(run, ordinal) as { yes: number; unknown: number };
  if (unknown > 0) return "unknown";
  return yes > 0 ? "yes" : "no";
}
