import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SpendLine } from "../../ledger/read/sum-spend.ts";
import { compareInvoice } from "./compare-invoice.ts";
import { decodeInvoice } from "./decode-invoice.ts";
import { readCsv } from "./read-csv.ts";
import { type InvoiceForm, type InvoiceLine, readInvoice } from "./read-invoice.ts";

test("a CSV file is read as it was written, whatever its cells contain", () => {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const anyRows = fc.array(fc.array(fc.string({ unit: "grapheme" }), { minLength: 2, maxLength: 4 }), { minLength: 1 });
  fc.assert(
    fc.property(anyRows, fc.constantFrom(",", ";", "\t"), (rows, delimiter) => {
      const head = ["a", "b", "c"];
      const text = [head, ...rows].map((cells) => cells.map(quoted).join(delimiter)).join("\r\n");
      assert.deepEqual(readCsv(text).map(({ cells }) => cells), [head, ...rows]); // prettier-ignore
    }),
  );
  assert.deepEqual(readCsv('\ufeffa;b\n\n"1\n2";3\n4 ; 5'), [
    { line: 1, cells: ["a", "b"] },
    { line: 3, cells: ["1\n2", "3"] },
    { line: 5, cells: ["4", "5"] },
  ]);
});

test("lines end as any program ends them, and what Excel writes about the delimiter is no line", () => {
  const rows = [{ line: 1, cells: ["a", "b"] }, { line: 2, cells: ["1", "2"] }]; // prettier-ignore
  for (const end of ["\n", "\r\n", "\r"]) assert.deepEqual(readCsv(`a;b${end}1;2${end}`), rows, JSON.stringify(end));
  assert.deepEqual(readCsv("sep=;\r\na,x;b\r\n1,0;2\r\n"), [
    { line: 2, cells: ["a,x", "b"] },
    { line: 3, cells: ["1,0", "2"] },
  ]);
  assert.deepEqual(readCsv('"Net, in EUR, rounded";Date\n1;2\n')[0]?.cells, ["Net, in EUR, rounded", "Date"]);
});

test("the text of a file is read as Excel and others encode it, and another encoding is refused", () => {
  assert.equal(decodeInvoice(Buffer.from("\ufeffGebühr;1", "utf8")), "Gebühr;1");
  const utf16 = Buffer.from("\ufeffGebühr\t1", "utf16le");
  assert.equal(decodeInvoice(utf16), "Gebühr\t1");
  assert.equal(decodeInvoice(Buffer.from(utf16).swap16()), "Gebühr\t1");
  assert.throws(() => decodeInvoice(Buffer.from("Gebühr;1", "latin1")), /not UTF-8/);
});

const FORM: InvoiceForm = {
  columns: { day: "Date", amount: "Net", currency: "Cur", quantity: "No" },
  key: "day",
  currency: null,
  hasDecimalCommas: false,
};

test("lines are read in their form, and each that cannot be is named with its line and the reason", () => {
  const text = `No,Date,Net,Cur
1,2026-03-31,0.35,EUR
2,31.03.2026,"1,234.5",eur
1,2026-03-31T23:59:59Z,-0.35,EUR
1,2026-02-30,1,EUR
1,03/31/2026,1,EUR
1,2026-03-31,1.2.3,EUR
1,2026-03-31,1,XXX
x,2026-03-31,1,EUR
1,2026-03-31,1
1,,1,EUR`;
  const { lines, bad } = readInvoice(text, FORM);
  assert.deepEqual(
    lines.map(({ line, key, amount, currency, quantity }) => [line, key, amount, currency, quantity]),
    [
      [2, "2026-03-31", 350_000n, "EUR", 1],
      [3, "2026-03-31", 1_234_500_000n, "EUR", 2],
      [4, "2026-03-31", -350_000n, "EUR", 1],
    ],
  );
  assert.deepEqual(bad.map(({ line }) => line), [5, 6, 7, 8, 9, 10, 11]); // prettier-ignore
  assert.match(
    bad.map(({ problem }) => problem).join("; "),
    /date.*date.*amount.*ISO 4217.*whole number.*3 cells.*empty/,
  );
  assert.throws(() => readInvoice("a,b\n", FORM), /no column "Date". It has: a, b/);
  assert.throws(() => readInvoice("", FORM), /empty/);
  assert.throws(() => readInvoice("Date,Net,Net,Cur,No\n", FORM), /more than one column "Net"/);
});

test("a credit can be a negative quantity, and a quantity can have decimals that are zero", () => {
  const one = (quantity: string) => readInvoice(`No,Date,Net,Cur\n"${quantity}",2026-03-31,1,EUR\n`, FORM).lines[0]?.quantity; // prettier-ignore
  assert.deepEqual(["-1", "3.00", "2,0", "0", "1.5", "1,000", "-"].map(one), [-1, 3, 2, 0, undefined, undefined, undefined]); // prettier-ignore
});

test("an amount that cannot be read is shown, and a decimal comma is named as the reason", () => {
  const problem = (net: string, hasDecimalCommas = false) =>
    readInvoice(`Date;Net\n2026-03-31;${net}\n`, { ...FORM, columns: { day: "Date", amount: "Net" }, currency: "EUR", hasDecimalCommas }).bad[0]?.problem; // prettier-ignore
  assert.equal(problem("4 EUR"), 'its amount "4 EUR" cannot be read');
  assert.equal(problem("1.234,56"), 'its amount "1.234,56" cannot be read without --decimal-comma');
  assert.equal(problem("1,234.56", true), 'its amount "1,234.56" cannot be read with --decimal-comma');
  assert.equal(problem(""), "its amount is empty");
});

test("decimal commas are read only if they are said to be there", () => {
  const one = (net: string, hasDecimalCommas: boolean) =>
    readInvoice(`Date;Net\n2026-03-31;${net}\n`, { ...FORM, columns: { day: "Date", amount: "Net" }, currency: "EUR", hasDecimalCommas }).lines[0]?.amount; // prettier-ignore
  assert.equal(one("1.234,56", true), 1_234_560_000n);
  assert.equal(one("0,35", true), 350_000n);
  assert.equal(one("0,35", false), undefined);
  assert.equal(one("1.23", true), undefined, "it may be a decimal point");
});

const ours = (key: string, parts: Partial<SpendLine> = {}): SpendLine => {
  const counts = { requests: 1, charged_yes: 1, charged_no: 0, charged_unknown: 0, unpriced: 0 };
  return { key, currency: "EUR", least: 10n, most: 10n, ...counts, ...parts };
};
const theirs = (key: string, amount: bigint, line = 2): InvoiceLine => ({
  line,
  key,
  amount,
  currency: "EUR",
  quantity: 1,
});

test("what is equal is counted, and each difference has its kind and its lines", () => {
  const ledger = [
    ours("equal"),
    ours("ours"),
    ours("dear"),
    ours("open", { charged_yes: 0, charged_unknown: 1, least: 0n }),
    ours("free", { charged_yes: 0, charged_no: 1, least: 0n, most: 0n }),
    ours("unpriced", { currency: null, unpriced: 1, least: 0n, most: 0n }),
  ];
  const invoice = [theirs("equal", 4n), theirs("equal", 6n, 3), theirs("dear", 12n, 4), theirs("open", 10n, 5), theirs("free", 10n, 6), theirs("unpriced", 10n, 7), theirs("new", 1n, 8)]; // prettier-ignore
  const { differences, equal } = compareInvoice(ledger, invoice, true);
  assert.equal(equal, 1);
  assert.deepEqual(
    Object.fromEntries(differences.filter(({ lines }) => lines.length > 0).map(({ key, kind, lines }) => [key, [kind, ...lines]])), // prettier-ignore
    { dear: ["differs", 4], free: ["theirs only", 6], new: ["theirs only", 8], open: ["unknown charge", 5], unpriced: ["no price", 7] }, // prettier-ignore
  );
  const rest = differences.filter(({ lines }) => lines.length === 0).map(({ key, kind }) => [key, kind]);
  assert.deepEqual(rest, [["ours", "ours only"]]);
});

test("a call that is known to cost nothing is not missing from an invoice of amounts", () => {
  const included = ours("included", { least: 0n, most: 0n });
  assert.deepEqual(compareInvoice([included], [], true), { differences: [], equal: 1 });
  assert.equal(compareInvoice([included], [], false).differences[0]?.kind, "ours only");
  const unpriced = ours("unpriced", { currency: null, unpriced: 1, least: 0n, most: 0n });
  assert.equal(compareInvoice([unpriced], [], true).differences[0]?.kind, "no price");
});

test("an invoice without amounts is compared by its counts", () => {
  const invoice = [{ ...theirs("a", 0n), amount: null, currency: null, quantity: 3 }];
  const count = (charged_yes: number, charged_unknown = 0) =>
    compareInvoice([ours("a", { charged_yes, charged_unknown })], invoice, false).differences.map(({ kind }) => kind);
  assert.deepEqual([count(3), count(2), count(2, 1), count(0)], [[], ["differs"], ["unknown charge"], ["theirs only"]]);
});
