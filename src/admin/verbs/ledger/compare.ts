import { Type } from "../../../terms/schema/type.ts";
import { compareWithLedger, invoiceInputs, kindsOf, totalsOf } from "../../invoice/compare-with-ledger.ts";
import { DIFFERENCES, type InvoiceDifference } from "../../invoice/compare-invoice.ts";
import { INVOICE_KEYS, type InvoiceForm } from "../../invoice/read-invoice.ts";
import { amountText } from "../../../terms/money/money.ts";
import { count, listOf, oneOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

/** An amount as text or, for an invoice without amounts, a number of requests. */
const sums = orNull(Type.Union([text, Type.Integer()]));
const requests = Type.Optional({ ...count, description: "If both amounts and quantities are compared" });

export default defineVerb({
  summary: "Compare a vendor's invoice, as a CSV file, with the ledger",
  description:
    '--map gives the meaning of the columns. Map exactly one of order (the vendor\'s order number), transaction (ours) or day (of --time-zone): it identifies the subject of a line. Amount, currency and quantity are optional. Lines with the same key are added up. Without amounts the billed requests are counted; with amounts and quantities, both have to agree. Every difference is listed: entries that only the ledger has, entries that only the invoice has, and different values; so is every line that cannot be read. The exit code is then 1. "datarun ledger settle" takes the same options, and settles the unknown charges that the invoice answers.',
  example:
    "invoice.csv --map order=Reference --map amount=Net --currency EUR --from 2026-03-01 --to 2026-04-01 --source example_bureau__company_report",
  input: invoiceInputs,
  positional: ["invoice"],
  role: "viewer",
  changes: false,
  needs: ["ledger"],

  result: Type.Object({
    differences: rowsOf({
      difference: oneOf(...DIFFERENCES),
      ...Object.fromEntries(INVOICE_KEYS.map((key) => [key, Type.Optional(orNull(text))])),
      lines: text,
      runs: Type.Optional({
        ...listOf(text),
        description: "Of an order that the ledger has: the runs that sent its first and its last request",
      }),
      currency: Type.Optional(orNull(text)),
      ours: sums,
      ours_at_most: sums,
      theirs: sums,
      our_requests: requests,
      our_requests_at_most: requests,
      their_requests: requests,
    }),
    bad_rows: rowsOf({ line: count, problem: text }),
    totals: rowsOf({
      currency: text,
      ours: text,
      ours_at_most: text,
      theirs: text,
      disputed: {
        ...text,
        description: "The amount that the invoice bills beyond what was charged at most, of keys whose price is known",
      },
      not_billed: { ...text, description: "The amount that was charged for certain and is not on the invoice" },
    }),
    kinds: {
      ...rowsOf({
        difference: oneOf(...DIFFERENCES),
        count,
        currency: orNull(text),
        ours: orNull(text),
        ours_at_most: orNull(text),
        theirs: orNull(text),
      }),
      description: "The differences by kind and currency; without amounts for an invoice that has none",
    },
    equal: count,
    lines: count,
  }),

  async run(input, call) {
    const compared = await compareWithLedger(input, call);
    const { differences, form, bad, lines, equal } = compared;
    return {
      differences: differences.map((one) => toWire(one, form)),
      bad_rows: bad.map(({ line, problem }) => ({ line, problem })),
      totals: totalsOf(compared),
      kinds: kindsOf(compared),
      equal,
      lines: lines.length,
    };
  },

  hasFailed: ({ differences, bad_rows }) => differences.length > 0 || bad_rows.length > 0,
  columns: {
    differences: [
      "difference",
      ...INVOICE_KEYS,
      "lines",
      "currency",
      "ours",
      "ours_at_most",
      "theirs",
      "our_requests",
      "our_requests_at_most",
      "their_requests",
    ],
  },
  nothing: {
    differences: "The invoice and the ledger agree.",
    bad_rows: "Every line could be read.",
    totals: "",
    kinds: "",
  },
});

function toWire(
  { kind, key, currency, lines, runs, ours, theirs }: InvoiceDifference,
  { key: name, columns }: InvoiceForm,
) {
  const about = { difference: kind, [name]: key, lines: lines.join(" "), ...(runs.length > 0 && { runs: [...runs] }) };
  const { least, most } = ours;
  const counts = [least.count, most.count, theirs.count] as const;
  if (columns.amount === undefined) return { ...about, ours: counts[0], ours_at_most: counts[1], theirs: counts[2] };
  // Without a currency the amounts are unknown, which differs from zero.
  const amounts = [least, most, theirs].map(({ amount }) => (currency === null ? null : amountText(amount)));
  return {
    ...about,
    currency,
    ours: amounts[0]!,
    ours_at_most: amounts[1]!,
    theirs: amounts[2]!,
    ...(columns.quantity !== undefined && {
      our_requests: counts[0],
      our_requests_at_most: counts[1],
      their_requests: counts[2],
    }),
  };
}
