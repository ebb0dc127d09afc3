import type { LedgerAnswers } from "../../ledger/read/ledger-reader.ts";
import type { UnknownCharge } from "../../ledger/read/unknown-charges.ts";
import { daysIn, type TimeSpan } from "../../terms/time/calendar.ts";
import { allUnknownCharges } from "../unknown-charges.ts";
import type { InvoiceDifference } from "./compare-invoice.ts";
import type { ComparedInvoice } from "./compare-with-ledger.ts";

/** The settlement of a request of unknown charge by an invoice. */
export interface PlannedSettlement {
  readonly charge: UnknownCharge;
  readonly charged: "yes" | "no";
  readonly difference: InvoiceDifference;
}

export interface SettlementPlan {
  readonly settlements: readonly PlannedSettlement[];
  /** Compared unknown charges that the invoice does not answer. */
  readonly open: number;
}

/**
 * Plans which unknown charges the invoice settles. An order, a run or a day is settled as a whole: if the invoice bills
 * only some of its unknown charges, it does not say which.
 */
export async function planSettlements(
  compared: ComparedInvoice,
  reader: Pick<LedgerAnswers, "unknown">,
): Promise<SettlementPlan> {
  const { form, differences } = compared;
  const charges = await unknownCharges(compared, reader);
  const keyOf = keysOf(compared, charges);
  const currencyOf = ({ currency }: { readonly currency: string | null }): string =>
    form.columns.amount === undefined ? "" : (currency ?? "");
  const byGroup = Map.groupBy(charges, (charge) => `${currencyOf(charge)} ${keyOf(charge) ?? ""}`);
  const settlements = differences.flatMap((difference): PlannedSettlement[] => {
    const { answer, ours, key } = difference;
    const own = byGroup.get(`${currencyOf(difference)} ${key}`) ?? [];
    // Charges that were added or settled since the comparison were not part of it.
    if (answer === null || own.length !== ours.most.count - ours.least.count) return [];
    return own.map((charge) => ({ charge, charged: answer, difference }));
  });
  return { settlements, open: charges.length - settlements.length };
}

/** The unknown charges of requests that were compared. A call without a recorded request is in no sum. */
async function unknownCharges({ filter }: ComparedInvoice, reader: Pick<LedgerAnswers, "unknown">) {
  const found = await allUnknownCharges(reader, filter);
  return found.filter((charge) => charge.attempt !== null);
}

/** The key of a charge on an invoice; `null` if no line can be about the charge. */
function keysOf(
  { form, filter }: ComparedInvoice,
  charges: readonly UnknownCharge[],
): (charge: UnknownCharge) => string | null {
  if (form.key === "order") return ({ order_id: order }) => order;
  if (form.key === "transaction") return ({ transaction_id: transaction }) => transaction;
  const sent = charges.map(({ sent_at: at }) => at);
  const span: TimeSpan = { from: sent.reduce(smaller, Infinity), to: sent.reduce(larger, -Infinity) + 1 };
  const days = charges.length === 0 ? [] : [...daysIn(span, filter.timeZone)];
  return ({ sent_at: at }) => days.find((day) => at >= day.from && at < day.to)!.day;
}

function smaller(one: number, other: number): number {
  return Math.min(one, other);
}

function larger(one: number, other: number): number {
  return Math.max(one, other);
}
