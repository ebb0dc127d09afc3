import type { Static } from "typebox";
import type { SpendFilter, SpendLine } from "../../ledger/read/sum-spend.ts";
import { amountText } from "../../terms/money/money.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { Type } from "../../terms/schema/type.ts";
import {
  credentialInput,
  givenOf,
  organizationInput,
  requireTimeZone,
  sourceInput,
  timeZoneInput,
} from "../shared-inputs.ts";
import { momentInput, requireTime, toMoment } from "../ledger-inputs.ts";
import type { VerbCall } from "../needs.ts";
import { currencyInput } from "../price-wire.ts";
import { type Comparison, compareInvoice, DIFFERENCES, type InvoiceDifference } from "./compare-invoice.ts";
import {
  type BadRow,
  INVOICE_COLUMNS,
  INVOICE_KEYS,
  type InvoiceForm,
  type InvoiceLine,
  readInvoice,
} from "./read-invoice.ts";

/**
 * The maximum of lines over the API. Runs continue between the steps of a comparison, but the lines take the service's
 * memory.
 */
export const API_LINES_MAX = 50_000;

/** Inputs of verbs that compare an invoice with the ledger. */
export const invoiceInputs = {
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
  from: momentInput("Requests that were sent then or later; a day begins at midnight of --time-zone"),
  to: momentInput("Requests that were sent before then"),
  time_zone: Type.Optional(
    timeZoneInput("The time zone of the days of the invoice, such as Europe/Berlin; UTC by default"),
  ),
  org: Type.Optional(organizationInput),
  source: Type.Optional(sourceInput),
  credential: Type.Optional(credentialInput),
  currency: Type.Optional({
    ...currencyInput,
    description: "The currency of an invoice that has no column for it",
  }),
  decimal_comma: Type.Optional(Type.Boolean({ description: "Amounts are written 1.234,56" })),
};

const invoiceObject = Type.Object(invoiceInputs);

/** An invoice with the compared part of the ledger. */
export interface ComparedInvoice extends Comparison {
  readonly form: InvoiceForm;
  /** The selected requests of the ledger. */
  readonly filter: SpendFilter & { readonly timeZone: string };
  readonly lines: readonly InvoiceLine[];
  /** Lines that could not be parsed. */
  readonly bad: readonly BadRow[];
  readonly ours: readonly SpendLine[];
}

/** @throws OperatorError */
export async function compareWithLedger(
  input: Static<typeof invoiceObject>,
  { act, ledger, onProgress }: Pick<VerbCall<"ledger">, "act" | "ledger" | "onProgress">,
): Promise<ComparedInvoice> {
  const { org, source, credential } = input;
  const form = formOf(input.map, input.currency ?? null, input.decimal_comma ?? false);
  const timeZone = requireTimeZone(input.time_zone ?? "UTC");
  const span = requireTime({ from: toMoment(input.from, timeZone), to: toMoment(input.to, timeZone) });
  const linesMax = act.via === "api" ? API_LINES_MAX : Infinity;
  const { lines, bad } = await readInvoice(input.invoice, form, linesMax);
  const filter = { ...span, timeZone, ...givenOf({ organizationId: org, source, credentialId: credential }) };
  const most = act.via === "api" ? { linesMax: linesMax + 1 } : {};
  const ours = await (await ledger()).spend(form.key, { ...filter, ...most }, onProgress);
  if (ours.length > linesMax)
    throw new OperatorError(
      "refused",
      `The ledger has more than ${API_LINES_MAX} lines to compare with. Compare a shorter time, or use the command line on the service's machine.`,
    );
  const has = { amounts: form.columns.amount !== undefined, quantities: form.columns.quantity !== undefined };
  return { ...(await compareInvoice(ours, lines, has)), form, filter, lines, bad, ours };
}

function formOf(map: readonly string[], currency: string | null, hasDecimalCommas: boolean): InvoiceForm {
  const pairs = map.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const);
  const columns: InvoiceForm["columns"] = Object.fromEntries(pairs);
  const twice = pairs.find(([meaning], at) => pairs.findIndex(([other]) => other === meaning) !== at);
  if (twice !== undefined) throw new OperatorError("usage", `--map names the column for ${twice[0]} twice.`);
  const keys = INVOICE_KEYS.filter((key) => columns[key] !== undefined);
  if (keys.length !== 1)
    throw new OperatorError("usage", `Map one of ${INVOICE_KEYS.join(", ")}: it identifies the subject of a line.`);
  if (columns.amount !== undefined && columns.currency === undefined && currency === null)
    throw new OperatorError("usage", "Amounts need a currency: map a column to currency, or give --currency.");
  return { columns, key: keys[0]!, currency, hasDecimalCommas };
}

type Sums = { ours: bigint; most: bigint; theirs: bigint; disputed: bigint; notBilled: bigint };

/** The sums of both sides by currency, and by how much they differ; none for an invoice without amounts. */
export function totalsOf({
  form,
  ours,
  lines,
  differences,
}: Pick<ComparedInvoice, "form" | "ours" | "lines" | "differences">) {
  if (form.columns.amount === undefined) return [];
  const totals = new Map<string, Sums>();
  const of = (currency: string): Sums => {
    const sums = totals.get(currency) ?? { ours: 0n, most: 0n, theirs: 0n, disputed: 0n, notBilled: 0n };
    totals.set(currency, sums);
    return sums;
  };
  for (const { currency, least, most } of ours) {
    if (currency === null) continue;
    const sums = of(currency);
    sums.ours += least;
    sums.most += most;
  }
  for (const { currency, amount } of lines) if (currency !== null) of(currency).theirs += amount ?? 0n;
  for (const { kind, currency, ours: own, theirs } of differences) {
    // What a request without a price cost is not known, so it cannot be said by how much the invoice differs.
    if (currency === null || kind === "no price") continue;
    of(currency).disputed += atLeastNothing(theirs.amount - own.most.amount);
    of(currency).notBilled += atLeastNothing(own.least.amount - theirs.amount);
  }
  return [...totals].map(([currency, sums]) => ({
    currency,
    ours: amountText(sums.ours),
    ours_at_most: amountText(sums.most),
    theirs: amountText(sums.theirs),
    disputed: amountText(sums.disputed),
    not_billed: amountText(sums.notBilled),
  }));
}

function atLeastNothing(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

/** The differences by kind and currency, in the order of the kinds. */
export function kindsOf({ form, differences }: Pick<ComparedInvoice, "form" | "differences">) {
  const hasAmounts = form.columns.amount !== undefined;
  return DIFFERENCES.flatMap((difference) => {
    const own = differences.filter(({ kind }) => kind === difference);
    return [...Map.groupBy(own, ({ currency }) => currency)].map(([currency, some]) => {
      const sum = (of: (one: InvoiceDifference) => bigint): string | null =>
        hasAmounts && currency !== null ? amountText(some.reduce((total, one) => total + of(one), 0n)) : null;
      return {
        difference,
        count: some.length,
        currency,
        ours: sum(({ ours }) => ours.least.amount),
        ours_at_most: sum(({ ours }) => ours.most.amount),
        theirs: sum(({ theirs }) => theirs.amount),
      };
    });
  });
}
