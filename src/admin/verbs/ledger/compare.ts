import { Type } from "../../../terms/type.ts";
import { compareInvoice, DIFFERENCES, type Difference } from "../../invoice/compare-invoice.ts";
import {
  INVOICE_COLUMNS,
  INVOICE_KEYS,
  type InvoiceForm,
  type InvoiceLine,
  readInvoice,
} from "../../invoice/read-invoice.ts";
import { unhurried } from "../../invoice/unhurried.ts";
import { amountText } from "../../../terms/money.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { Stretch } from "../../../terms/stretch.ts";
import { credentialInput, organizationInput, sourceInput } from "../../inputs.ts";
import { momentInput, requireTime, toMoment } from "../../ledger-inputs.ts";
import { currencyInput } from "../../price-wire.ts";
import { count, listOf, oneOf, orNull, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

/** In a service runs have turns while lines are compared; more would still take its memory. */
export const API_LINES_MAX = 50_000;

/** An amount as text or, of an invoice without amounts, a number of requests. */
const sums = orNull(Type.Union([text, Type.Integer()]));

export default defineVerb({
  summary: "Hold a vendor's invoice, as a CSV file, against the ledger",
  description:
    "--map says what the columns mean. Map exactly one of order (the vendor's order number), transaction (ours) or day (of UTC): it says what a line is about. Amount, currency and quantity are optional. Lines with the same key are added up. Without amounts the billed requests are counted. Every difference is listed: what only the ledger has, what only the invoice has, and what differs; so is every line that cannot be read. The exit code is then 1.",
  example:
    "invoice.csv --map order=Reference --map amount=Net --currency EUR --from 2026-03-01 --to 2026-04-01 --source example_bureau__company_report",
  input: Type.Object(
    {
      invoice: Type.String({ description: "The invoice, as the text of a CSV file", "x-file": true }),
      map: Type.Array(
        Type.String({
          pattern: `^(${INVOICE_COLUMNS.join("|")})=.+$`,
          "x-says": `must be ${INVOICE_COLUMNS.join(", ")}, then = and the name of a column`,
        }),
        {
          minItems: 1,
          description: `What a column means: ${INVOICE_COLUMNS.join(", ")}; exactly one of ${INVOICE_KEYS.join(", ")} is needed`,
          "x-placeholder": "MEANING=COLUMN",
        },
      ),
      from: momentInput("Requests that were sent then or later; a day begins at midnight UTC"),
      to: momentInput("Requests that were sent before then"),
      org: Type.Optional(organizationInput),
      source: Type.Optional(sourceInput),
      credential: Type.Optional(credentialInput),
      currency: Type.Optional({
        ...currencyInput,
        description: "The currency of an invoice that has no column for it",
      }),
      decimal_comma: Type.Optional(Type.Boolean({ description: "Amounts are written 1.234,56" })),
    },
    { additionalProperties: false },
  ),
  positional: ["invoice"],
  role: "viewer",
  changes: false,
  needs: ["ledger"],

  result: Type.Object({
    differences: listOf(
      Type.Object({
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
      }),
    ),
    bad_rows: listOf(Type.Object({ line: count, problem: text })),
    totals: listOf(Type.Object({ currency: text, ours: text, ours_at_most: text, theirs: text })),
    equal: count,
    lines: count,
  }),

  async run({ invoice, map, from, to, org, source, credential, currency, decimal_comma }, { act, clock, ledger }) {
    const form = formOf(map, currency ?? null, decimal_comma ?? false);
    const span = requireTime({ from: toMoment(from), to: toMoment(to) });
    const linesMax = act.via === "api" ? API_LINES_MAX : Infinity;
    const stretch = new Stretch(clock);
    const { lines, bad } = await readInvoice(invoice, form, stretch, linesMax);
    const byAmount = form.columns.amount !== undefined;
    const ours = await (
      await ledger()
    ).spend(form.key, {
      ...span,
      ...(org !== undefined && { organizationId: org }),
      ...(source !== undefined && { source }),
      ...(credential !== undefined && { credentialId: credential }),
      ...(act.via === "api" && { linesMax: linesMax + 1 }),
    });
    if (ours.length > linesMax)
      throw new OperatorError(
        "refused",
        `The ledger has more than ${API_LINES_MAX} lines to compare with. Compare a shorter time, or use the command line on the service's machine.`,
      );
    const { differences, equal } = await compareInvoice(ours, lines, byAmount, stretch);
    const wire: ReturnType<typeof toWire>[] = [];
    for await (const one of unhurried(differences, stretch)) wire.push(toWire(one, form.key, byAmount));
    return {
      differences: wire,
      bad_rows: bad.map(({ line, problem }) => ({ line, problem })),
      totals: byAmount ? totalsOf(ours, lines) : [],
      equal,
      lines: lines.length,
    };
  },

  hasFailed: ({ differences, bad_rows }) => differences.length > 0 || bad_rows.length > 0,
  columns: { differences: ["difference", ...INVOICE_KEYS, "lines", "currency", "ours", "ours_at_most", "theirs"] },
  nothing: { differences: "The invoice and the ledger agree.", bad_rows: "Every line could be read.", totals: "" },
});

function formOf(map: readonly string[], currency: string | null, hasDecimalCommas: boolean): InvoiceForm {
  const pairs = map.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const);
  const columns: InvoiceForm["columns"] = Object.fromEntries(pairs);
  const twice = pairs.find(([meaning], at) => pairs.findIndex(([other]) => other === meaning) !== at);
  if (twice !== undefined) throw new OperatorError("usage", `--map says twice which column is ${twice[0]}.`);
  const keys = INVOICE_KEYS.filter((key) => columns[key] !== undefined);
  if (keys.length !== 1)
    throw new OperatorError("usage", `Map one of ${INVOICE_KEYS.join(", ")}: it says what a line is about.`);
  if (columns.amount !== undefined && columns.currency === undefined && currency === null)
    throw new OperatorError("usage", "Amounts need a currency: map a column to currency, or give --currency.");
  return { columns, key: keys[0]!, currency, hasDecimalCommas };
}

function toWire({ kind, key, currency, lines, runs, ours, theirs }: Difference, name: string, byAmount: boolean) {
  const about = { difference: kind, [name]: key, lines: lines.join(" "), ...(runs.length > 0 && { runs: [...runs] }) };
  // Without a currency there is no amount, which is not the same as nothing.
  if (byAmount && currency === null) return { ...about, currency, ours: null, ours_at_most: null, theirs: null };
  return byAmount
    ? {
        ...about,
        currency,
        ours: amountText(ours.least.amount),
        ours_at_most: amountText(ours.most.amount),
        theirs: amountText(theirs.amount),
      }
    : { ...about, ours: ours.least.count, ours_at_most: ours.most.count, theirs: theirs.count };
}

type Sums = { ours: bigint; most: bigint; theirs: bigint };

function totalsOf(
  ours: readonly { currency: string | null; least: bigint; most: bigint }[],
  theirs: readonly InvoiceLine[],
) {
  const totals = new Map<string, Sums>();
  const of = (currency: string): Sums => {
    const sums = totals.get(currency) ?? { ours: 0n, most: 0n, theirs: 0n };
    totals.set(currency, sums);
    return sums;
  };
  for (const { currency, least, most } of ours) {
    if (currency === null) continue;
    const sums = of(currency);
    sums.ours += least;
    sums.most += most;
  }
  for (const { currency, amount } of theirs) if (currency !== null) of(currency).theirs += amount ?? 0n;
  return [...totals].map(([currency, sums]) => ({
    currency,
    ours: amountText(sums.ours),
    ours_at_most: amountText(sums.most),
    theirs: amountText(sums.theirs),
  }));
}
