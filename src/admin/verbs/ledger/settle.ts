import { hash } from "node:crypto";
import { Type } from "../../../terms/schema/type.ts";
import { priceText } from "../../../ledger/read/costs.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { noteInput } from "../../shared-inputs.ts";
import { type ComparedInvoice, compareWithLedger, invoiceInputs } from "../../invoice/compare-with-ledger.ts";
import { type PlannedSettlement, planSettlements } from "../../invoice/plan-settlements.ts";
import { count, oneOf, orNull, rowsOf, text, time, toWireTime, yesOrNo } from "../../result-schemas.ts";
import {
  applyInput,
  INTERRUPTED,
  limitInput,
  SETTLED_AT_ONCE,
  settleCharges,
  settledTotals,
  wireSettledTotals,
} from "../../settle-charges.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Settle the unknown charges that a vendor's invoice answers",
  description: `It takes the options of "datarun ledger compare", and shows what it would settle: as not charged what the comparison calls "unknown, not billed"; and an "unknown charge" as charged if the invoice bills all of it, or as not charged if it bills none of it. With --apply, each of these charges is settled as "datarun ledger reconcile" does it, with its entries in the audit trail and in budgets. At most --limit charges are settled, the oldest first; given again, the command continues with the rest. It refuses an invoice that has nothing in common with the ledger, and one with lines that cannot be read, unless --accept-bad-rows states that these are about none of the charges.`,
  example:
    'invoice.csv --map order=Reference --map amount=Net --currency EUR --from 2026-03-01 --to 2026-04-01 --note "invoice 4711" --apply',
  input: {
    ...invoiceInputs,
    note: noteInput("The reason, such as the number of the invoice", 500),
    limit: limitInput,
    accept_bad_rows: Type.Optional(
      Type.Boolean({ description: "Lines that cannot be read are about none of the charges, such as a total" }),
    ),
    apply: applyInput,
  },
  positional: ["invoice"],
  role: "operator",
  changes: true,
  needs: ["store", "ledger"],
  interrupted: INTERRUPTED,

  result: Type.Object({
    applied: yesOrNo,
    settled: count,
    to_settle: { ...count, description: "How many more the invoice answers" },
    open: { ...count, description: "Unknown charges in the same time that the invoice does not answer" },
    charges: rowsOf({
      transaction_id: text,
      call: count,
      attempt: count,
      charged: oneOf("yes", "no"),
      order: Type.Optional(text),
      day: Type.Optional(text),
      lines: text,
      source: text,
      sent_at: time,
      price: orNull(text),
      currency: orNull(text),
    }),
    totals: wireSettledTotals,
    changed_budgets: Type.Optional(text),
  }),

  async run({ note: reason, limit = SETTLED_AT_ONCE, accept_bad_rows, apply = false, ...input }, call) {
    const compared = await compareWithLedger(input, call);
    requireComparable(compared, accept_bad_rows === true);
    const reader = await call.ledger();
    const { settlements, open } = await planSettlements(compared, reader);
    const chosen = settlements
      .toSorted((one, other) => one.charge.started_at - other.charge.started_at)
      .slice(0, limit);
    const plan = {
      charges: chosen.map((settlement) => toWire(settlement, compared)),
      totals: settledTotals(chosen),
      open,
    };
    if (!apply) {
      if (chosen.length > 0)
        call.note("Nothing was settled. To settle these charges, give the same command with --apply.");
      return { applied: false, settled: 0, to_settle: settlements.length, ...plan };
    }
    // The digest lets a repeated command continue an interrupted one.
    const mark = { name: "invoice", digest: hash("sha256", input.invoice, "hex") } as const;
    const { settled, budgets } = await settleCharges(chosen, { mark, reason }, call, reader);
    const left = settlements.length - chosen.length;
    if (left > 0) call.note(`The invoice answers ${left} more. Give the same command again to settle them.`);
    return {
      applied: true,
      settled,
      to_settle: left,
      ...plan,
      ...(budgets.length > 0 && { changed_budgets: budgets.join(", ") }),
    };
  },

  columns: {
    charges: ["transaction_id", "call", "attempt", "charged", "order", "day", "lines", "sent_at", "price", "currency"],
  },
  nothing: { charges: "The invoice answers no unknown charge.", totals: "" },
});

/**
 * A charge that is missing from the invoice counts as not billed only if the invoice covers the same calls and was read
 * completely.
 */
function requireComparable({ lines, bad, ours }: ComparedInvoice, acceptsBadRows: boolean): void {
  if (bad.length > 0 && !acceptsBadRows)
    throw new OperatorError(
      "refused",
      `The invoice has ${bad.length} ${bad.length === 1 ? "line" : "lines"} that cannot be read, the first in line ${bad[0]!.line}: ${bad[0]!.problem}. "datarun ledger compare" lists them. If they are about none of the charges, give --accept-bad-rows.`,
    );
  const invoiced = new Set(lines.map(({ key }) => key));
  if (!ours.some(({ key }) => key !== null && invoiced.has(key)))
    throw new OperatorError(
      "refused",
      "The invoice and the ledger have nothing in common in this time, so nothing is settled. Look at --map, --from and --to.",
    );
}

function toWire({ charge, charged, difference }: PlannedSettlement, { form }: ComparedInvoice) {
  return {
    transaction_id: charge.transaction_id,
    call: charge.ordinal,
    attempt: charge.attempt!,
    charged,
    ...(form.key !== "transaction" && { [form.key]: difference.key }),
    lines: difference.lines.join(" "),
    source: charge.source,
    sent_at: toWireTime(charge.sent_at),
    price: priceText(charge.price),
    currency: charge.currency,
  };
}
