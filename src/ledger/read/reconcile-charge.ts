import { chargeOfCall } from "../../terms/money/charge.ts";
import type { Charged } from "../../terms/fault.ts";
import { namesOf, selectionOf } from "../column.ts";
import { RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { amountToColumn } from "../../terms/money/money.ts";
import type { Price } from "../../terms/money/price.ts";
import type { AttemptRow, LedgerQuery, LedgerTables, ReconciliationRow, RunReportRow, RunRow } from "../ports.ts";
import { checksumOf, isSound } from "../journal/run-checksum.ts";
import { toStored } from "../stored-text.ts";
import { chargesBits, unsettledOf, verdictsOf } from "../journal/verdicts.ts";
import { withAllRows } from "./read-runs.ts";

/** The name under which the service's own record is stored, from before an operator overruled it. */
export const RECORDED_BY = "datarun";

/** An operator's decision on a charge, by the vendor's invoice. `unknown` reopens it. */
export interface Reconciliation {
  readonly transactionId: string;
  readonly ordinal: number;
  /**
   * The number of a request. If absent: all requests of unknown charge or, if there are none, the call's only request.
   */
  readonly attempt?: number;
  readonly charged: Charged;
  /** The price of each of those requests if it is charged. If absent: the recorded price. */
  readonly price?: Price;
  readonly decidedBy: string;
  readonly decidedAt: number;
  readonly note: string;
}

/** Replaces the number of an attempt. */
const CALL_ITSELF = 0;

export interface SettledCharge {
  /** The settled requests of the call. */
  readonly requests: readonly SettledRequest[];
  /** The resulting charge of the whole call. */
  readonly charged: Charged;
}

/** The change of a request, consistent also if several operators settle it at the same time. */
export interface SettledRequest {
  readonly sentAt: number;
  readonly before: Settlement;
  readonly after: Settlement;
}

/** The charge of a request and its price if it is charged, as in a row. */
export type Settlement = RequestPrice & Pick<AttemptRow, "charged">;

type Settleable = Pick<AttemptRow, "number" | "charged" | "sent_at" | "price" | "currency">;
/** The price of a request, as in a row. */
type RequestPrice = Pick<AttemptRow, "price" | "currency">;

/**
 * Settles charges, whatever they were before, as often as needed. Stores each decision with its author, time and
 * reason, and also the service's own record. `null` when the request is ambiguous: there is no such request, or there
 * are several and none is unknown.
 */
export function reconcileCharge(tables: LedgerTables, decision: Reconciliation): Promise<SettledCharge | null> {
  return tables.change((query) => settle(query, decision));
}

async function settle(query: LedgerQuery, decision: Reconciliation): Promise<SettledCharge | null> {
  const { charged } = decision;
  const call = [toStored(decision.transactionId), decision.ordinal] as const;
  const ofCall = "WHERE transaction_id = ? AND ordinal = ?";
  // Changes nothing, but makes other settlements of this run wait until this transaction ends.
  await query("UPDATE ledger_runs SET verdicts = verdicts WHERE transaction_id = ?", [call[0]]);
  const before = await wholeRun(query, call[0]);
  const [found] = await query<{ readonly charged: Charged }>(`SELECT charged FROM ledger_calls ${ofCall}`, call);
  if (found === undefined) return null;
  const earlier = await query<{ readonly attempt: number }>(
    `SELECT attempt FROM ledger_reconciliations ${ofCall}`,
    call,
  );
  const settledBefore = (number: number): boolean => earlier.some((one) => one.attempt === number);
  const requests = await query<Settleable>(
    `SELECT number, charged, sent_at, price, currency FROM ledger_attempts ${ofCall} ORDER BY number`,
    call,
  );
  const meant = requestsMeant(requests, decision);
  // If a call of unknown charge sent no request through the outbound client, the decision is about the call itself.
  const callItself =
    requests.length === 0 &&
    decision.attempt === undefined &&
    (found.charged === "unknown" || settledBefore(CALL_ITSELF));
  if (meant.length === 0 && !callItself) return null;

  for (const request of meant) {
    const { price, currency } = costAfter(request, decision);
    const values = [charged, price, currency, ...call, request.number];
    await query(`UPDATE ledger_attempts SET charged = ?, price = ?, currency = ? ${ofCall} AND number = ?`, values);
  }
  const chargedNow = callItself
    ? charged
    : chargeOfCall(requests.map((one) => (meant.includes(one) ? charged : one.charged)));
  await query(`UPDATE ledger_calls SET charged = ? ${ofCall}`, [chargedNow, ...call]);

  let revision = earlier.length;
  const [transactionId, ordinal] = call;
  const insertDecision = (
    attempt: number,
    word: Charged,
    { price, currency }: RequestPrice,
    by: string,
    at: number,
    note: string,
  ) =>
    insert(query, {
      transaction_id: transactionId,
      ordinal,
      revision: (revision += 1),
      attempt,
      charged: word,
      price,
      currency,
      decided_by: toStored(by),
      decided_at: at,
      note: toStored(note),
    });
  const { decidedBy, decidedAt, note } = decision;
  for (const request of meant) {
    const { number, charged: was, sent_at: sentAt } = request;
    const after = costAfter(request, decision);
    // An unknown charge with the same price needs no row.
    const isOverruled = was !== "unknown" || after.price !== request.price || after.currency !== request.currency;
    if (isOverruled && !settledBefore(number))
      await insertDecision(number, was, request, RECORDED_BY, sentAt, "as it was recorded");
    await insertDecision(number, charged, after, decidedBy, decidedAt, note);
  }
  if (callItself)
    await insertDecision(CALL_ITSELF, charged, { price: null, currency: null }, decidedBy, decidedAt, note);
  // A damaged run stays marked as damaged: a new checksum would confirm rows of unknown origin.
  await mark(query, call[0], decision.ordinal, before !== null && before.run.checksum !== null && isSound(before));
  return {
    requests: meant.map((request) => ({
      sentAt: request.sent_at,
      before: { charged: request.charged, ...costOf(request) },
      after: { charged, ...costOf(costAfter(request, decision)) },
    })),
    charged: chargedNow,
  };
}

function costOf({ price, currency }: RequestPrice): RequestPrice {
  return { price, currency };
}

function costAfter(request: Settleable, { price }: Reconciliation): RequestPrice {
  return price === undefined ? request : { price: amountToColumn(price.amount), currency: price.currency };
}

function insert(query: LedgerQuery, row: ReconciliationRow): Promise<unknown> {
  const names = ["transaction_id", ...namesOf(RECONCILIATION_COLUMNS)] as const;
  const sql = `INSERT INTO ledger_reconciliations (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return query(
    sql,
    names.map((name) => row[name]),
  );
}

async function wholeRun(query: LedgerQuery, transactionId: string): Promise<RunReportRow | null> {
  const runs = await query<RunRow>(
    `SELECT ${selectionOf(RUN_COLUMNS, "r")} FROM ledger_runs AS r WHERE r.transaction_id = ?`,
    [transactionId],
  );
  return (await withAllRows(query, runs))[0] ?? null;
}

/** Updates the columns for lists and, for a sound run, its checksum. */
async function mark(query: LedgerQuery, transactionId: string, ordinal: number, wasSound: boolean): Promise<void> {
  const row = (await wholeRun(query, transactionId))!;
  const { attempts } = row;
  const calls = row.calls.map((call) => {
    const own = attempts.filter((attempt) => attempt.ordinal === call.ordinal);
    return call.ordinal === ordinal
      ? {
          ...call,
          charges: chargesBits(
            call.charged,
            own.map(({ charged }) => charged),
          ),
        }
      : call;
  });
  const charges = calls.find((call) => call.ordinal === ordinal)!.charges;
  const ofRun = "WHERE transaction_id = ?";
  await query(`UPDATE ledger_calls SET charges = ? ${ofRun} AND ordinal = ?`, [charges, transactionId, ordinal]);
  const hasUnknown = unsettledOf({ calls, attempts }).length > 0 ? 1 : 0;
  const run: RunRow = { ...row.run, has_unknown: hasUnknown, verdicts: verdictsOf(calls) };
  await query(`UPDATE ledger_runs SET has_unknown = ?, verdicts = ?, checksum = ? ${ofRun}`, [
    run.has_unknown,
    run.verdicts,
    wasSound ? checksumOf({ ...row, run, calls }) : run.checksum,
    transactionId,
  ]);
}

/**
 * Whether a decision would settle a charge of the run as it is now. Checked before the decision is announced;
 * `reconcileCharge` decides again.
 */
export function wouldSettle({ calls, attempts, reconciliations }: RunReportRow, decision: Meant): boolean {
  const call = calls.find(({ ordinal }) => ordinal === decision.ordinal);
  if (call === undefined) return false;
  const requests = attempts.filter(({ ordinal }) => ordinal === decision.ordinal);
  if (requests.length > 0) return requestsMeant(requests, decision).length > 0;
  const isSettled = reconciliations.some((one) => one.ordinal === decision.ordinal && one.attempt === CALL_ITSELF);
  return decision.attempt === undefined && (call.charged === "unknown" || isSettled);
}

type Meant = Pick<Reconciliation, "ordinal" | "attempt" | "charged">;

function requestsMeant<One extends Pick<AttemptRow, "number" | "charged">>(
  requests: readonly One[],
  { attempt, charged }: Omit<Meant, "ordinal">,
): readonly One[] {
  if (attempt !== undefined) return requests.filter(({ number }) => number === attempt);
  const open = charged === "unknown" ? [] : requests.filter((one) => one.charged === "unknown");
  return open.length > 0 || requests.length > 1 ? open : requests;
}
