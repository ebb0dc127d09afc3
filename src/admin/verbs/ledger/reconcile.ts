import { Type } from "../../../terms/schema/type.ts";
import type { RunReportRow } from "../../../ledger/ports.ts";
import type { Price } from "../../../terms/money/price.ts";
import { amountInput, amountOf, currencyInput } from "../../price-wire.ts";
import { noteInput } from "../../shared-inputs.ts";
import { transactionInput, unknownRun } from "../../ledger-inputs.ts";
import { settleCharge } from "../../settle-charge.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { count, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Settle a charge after a look at the vendor's invoice",
  description:
    "Any charge can be settled, whatever it was and as often as necessary. Each time the run records who settled it, when and why; the charge that was recorded first is kept too. All counts use the latest settlement.",
  example: 'trx_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --call 0 --charged no --note "not on invoice 4711"',
  input: {
    transaction: transactionInput,
    call: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "Number of the call in its run, from 0" }),
    attempt: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: "Which request of the call; by default those that are unknown, or else the only one",
      }),
    ),
    charged: Type.Enum(["yes", "no", "unknown"], {
      description: "Whether the vendor charged for it; unknown reopens it",
    }),
    amount: Type.Optional({
      ...amountInput,
      description: "What the vendor billed for each of these requests, if it differs from the recorded price",
    }),
    currency: Type.Optional({
      ...currencyInput,
      description: "The currency of that amount; the recorded one by default",
    }),
    note: noteInput("The reason, such as the invoice", 500),
  },
  positional: ["transaction"],
  role: "operator",
  changes: true,
  needs: ["store", "ledger"],

  result: Type.Object({
    transaction_id: text,
    call: count,
    requests: count,
    call_charged: text,
    changed_budgets: Type.Optional(text),
  }),

  async run({ transaction, call, attempt, charged, amount, currency, note }, { act, clock, ledger, store }) {
    const reader = await ledger();
    const run = await reader.show(transaction);
    if (run === null) throw unknownRun();
    if (amount === undefined && currency !== undefined)
      throw new OperatorError("usage", "--currency goes with --amount.");
    if (amount !== undefined && charged !== "yes")
      throw new OperatorError("usage", "--amount says what the vendor billed, so it goes with --charged yes.");
    const { settled, budgets } = await settleCharge(
      run,
      {
        call,
        ...(attempt !== undefined && { attempt }),
        charged,
        ...(amount !== undefined && { price: priceOf(amount, currency, run, call) }),
        note,
        detail: amount === undefined ? {} : { amount, ...(currency !== undefined && { currency }) },
      },
      { act, clock, reader, store },
    );
    return {
      transaction_id: transaction,
      call,
      requests: settled.requests.length,
      call_charged: settled.charged,
      ...(budgets.length > 0 && { changed_budgets: budgets.join(", ") }),
    };
  },
});

/** @throws OperatorError if the currency is required, because the recorded requests have none or several */
function priceOf(text: string, given: string | undefined, { attempts }: RunReportRow, call: number): Price {
  const recorded = new Set(attempts.filter(({ ordinal }) => ordinal === call).map((attempt) => attempt.currency));
  const currency = given ?? (recorded.size === 1 ? [...recorded][0]! : null);
  const amount = amountOf(text);
  if (currency === null) throw new OperatorError("usage", "The call recorded no currency. Give it with --currency.");
  return { amount, currency };
}
