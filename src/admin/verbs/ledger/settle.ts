import { createHash } from "node:crypto";
import { Type } from "../../../terms/schema/type.ts";
import { priceText } from "../../../ledger/read/costs.ts";
import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { amountFromColumn, amountText } from "../../../terms/money/money.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { noteInput } from "../../shared-inputs.ts";
import { type ComparedInvoice, compareWithLedger, invoiceInputs } from "../../invoice/compare-with-ledger.ts";
import { type PlannedSettlement, planSettlements } from "../../invoice/plan-settlements.ts";
import type { VerbCall } from "../../needs.ts";
import { recordBeforeAndAfter } from "../../record-before-and-after.ts";
import { count, listOf, oneOf, orNull, text, time, yesOrNo } from "../../result-schemas.ts";
import { finishSettlements, settleCharge, SETTLEMENT } from "../../settle-charge.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

/** The default number of charges that one command settles. Each takes some writes that wait for the disk. */
export const SETTLED_AT_ONCE = 1_000;
export const SETTLED_AT_ONCE_MAX = 10_000;

export default defineVerb({
  summary: "Settle the unknown charges that a vendor's invoice answers",
  description: `It takes the options of "datarun ledger compare", and shows what it would settle: as not charged what the comparison calls "unknown, not billed"; and an "unknown charge" as charged if the invoice bills all of it, or as not charged if it bills none of it. With --apply, each of these charges is settled as "datarun ledger reconcile" does it, with its entries in the audit trail and in budgets. At most --limit charges are settled, the oldest first; given again, the command continues with the rest. It refuses an invoice that has nothing in common with the ledger, and one with lines that cannot be read, unless --accept-bad-rows states that these are about none of the charges.`,
  example:
    'invoice.csv --map order=Reference --map amount=Net --currency EUR --from 2026-03-01 --to 2026-04-01 --note "invoice 4711" --apply',
  input: Type.Object(
    {
      ...invoiceInputs,
      note: noteInput("The reason, such as the number of the invoice", 500),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: SETTLED_AT_ONCE_MAX,
          description: `How many charges to settle at most; ${SETTLED_AT_ONCE} by default`,
        }),
      ),
      accept_bad_rows: Type.Optional(
        Type.Boolean({ description: "Lines that cannot be read are about none of the charges, such as a total" }),
      ),
      apply: Type.Optional(Type.Boolean({ description: "Settles them; without it nothing is changed" })),
    },
    { additionalProperties: false },
  ),
  positional: ["invoice"],
  role: "operator",
  changes: true,
  needs: ["store", "ledger"],
  interrupted: "Settled charges stay settled. Give the same command again to settle the rest.",

  result: Type.Object({
    applied: yesOrNo,
    settled: count,
    to_settle: { ...count, description: "How many more the invoice answers" },
    open: { ...count, description: "Unknown charges in the same time that the invoice does not answer" },
    charges: listOf(
      Type.Object({
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
    ),
    totals: listOf(Type.Object({ currency: text, charged: text, not_charged: text })),
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
      totals: totalsOf(chosen),
      open,
    };
    if (!apply) {
      if (chosen.length > 0)
        call.note("Nothing was settled. To settle these charges, give the same command with --apply.");
      return { applied: false, settled: 0, to_settle: settlements.length, ...plan };
    }
    // The digest lets a repeated command continue an interrupted one.
    const invoice = createHash("sha256").update(input.invoice).digest("hex");
    const budgets = new Set<string>();
    const settled = await settleAll(chosen, { invoice, reason, budgets }, call, reader);
    const left = settlements.length - chosen.length;
    if (left > 0) call.note(`The invoice answers ${left} more. Give the same command again to settle them.`);
    return {
      applied: true,
      settled,
      to_settle: left,
      ...plan,
      ...(budgets.size > 0 && { changed_budgets: [...budgets].sort().join(", ") }),
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

interface About {
  /** The digest of the invoice. */
  readonly invoice: string;
  readonly reason: string;
  /** Collects the ids of budgets that have counted a settlement. */
  readonly budgets: Set<string>;
}

/** Returns the number of charges settled, without those that other commands settled meanwhile. */
async function settleAll(
  chosen: readonly PlannedSettlement[],
  { invoice, reason, budgets }: About,
  call: VerbCall<"store" | "ledger">,
  reader: LedgerAnswers,
): Promise<number> {
  const { act, clock, store, onProgress } = call;
  const needs = { clock, reader, store };
  await finishInterrupted(invoice, { ...needs, act });
  if (chosen.length === 0) return 0;
  const detail = { invoice, begun_at: toWireTime(act.wallAt), charges: chosen.length, note: reason };
  const { settled } = await recordBeforeAndAfter(call, { subjects: ["ledger"], detail }, async () => {
    let [done, seen] = [0, 0];
    for (const { charge, charged } of chosen) {
      onProgress("charges settled", seen, chosen.length);
      seen += 1;
      const run = await reader.show(charge.transaction_id);
      const request = run?.attempts.find(
        ({ ordinal, number }) => ordinal === charge.ordinal && number === charge.attempt,
      );
      if (run === null || request?.charged !== "unknown") continue;
      const decision = {
        call: charge.ordinal,
        attempt: charge.attempt!,
        charged,
        note: reason,
        detail: { invoice },
      };
      const { budgets: changed } = await settleCharge(run, decision, {
        ...needs,
        act: { ...act, wallAt: clock.wall() },
      });
      for (const budget of changed) budgets.add(budget);
      done += 1;
    }
    return { settled: done };
  });
  return settled;
}

/**
 * Completes an interrupted command for the same invoice, which may have settled a charge that no budget has counted.
 */
async function finishInterrupted(invoice: string, needs: Parameters<typeof finishSettlements>[1]): Promise<void> {
  const store = await needs.store();
  const commands = (await store.auditEntries({ what: needs.act.what, subjectId: "ledger" })).filter(
    ({ detail }) => detail["invoice"] === invoice,
  );
  const ended = new Set(
    commands.filter(({ detail }) => detail["state"] === "done").map(({ detail }) => detail["begun_at"]),
  );
  const interrupted = commands.filter(({ detail }) => !ended.has(detail["begun_at"]!));
  if (interrupted.length === 0) return;
  const from = Math.min(...interrupted.map(({ wallAt }) => wallAt));
  const recorded = await store.auditEntries({ what: SETTLEMENT, from });
  await finishSettlements(
    recorded.filter(({ detail }) => detail["invoice"] === invoice),
    needs,
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

/** The amounts that become known, by currency. */
function totalsOf(chosen: readonly PlannedSettlement[]) {
  const priced = chosen.filter(({ charge }) => charge.currency !== null);
  return [...Map.groupBy(priced, ({ charge }) => charge.currency!)].map(([currency, own]) => {
    const sum = (wanted: "yes" | "no") =>
      amountText(
        own
          .filter(({ charged }) => charged === wanted)
          .reduce((total, { charge }) => total + (amountFromColumn(charge.price) ?? 0n), 0n),
      );
    return { currency, charged: sum("yes"), not_charged: sum("no") };
  });
}
