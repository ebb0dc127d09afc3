import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SpendLine } from "../../ledger/read/sum-spend.ts";
import { compareInvoice } from "./compare-invoice.ts";
import { readCsv } from "./read-csv.ts";
import { type InvoiceForm, type InvoiceLine, readInvoice } from "./read-invoice.ts";

test("a CSV file is read as it was written, whatever its cells contain", () => {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const anyRows = fc.array(fc.array(fc.string({ unit: "grapheme" }), { minLength: 2, maxLength: 4 }), { minLength: 1 });
  fc.assert(
    fc.property(anyRows, fc.constantFrom(",", ";", "\t"), (rows, delimiter) => {
      const head = ["a", "b", "c"];
      const text = [head, ...rows].map((cells) => cells.map(quoted).join(delimiter)).join("\r\n");
      assert.deepEqual(
        [...readCsv(text)].map((row) => row?.cells),
        [head, ...rows],
      );
    }),
  );
  assert.deepEqual(
    [...readCsv('\ufeffa;b\n\n"1\n2";3\n4 ; 5')],
    [
      { line: 1, cells: ["a", "b"] },
      { line: 3, cells: ["1\n2", "3"] },
      { line: 5, cells: ["4", "5"] },
    ],
  );
});

test("lines end as any program ends them, and what Excel writes about the delimiter is not a line", () => {
  const rows = [
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ["1", "2"] },
  ];
  for (const end of ["\n", "\r\n", "\r"])
    assert.deepEqual([...readCsv(`a;b${end}1;2${end}`)], rows, JSON.stringify(end));
  assert.deepEqual(
    [...readCsv("sep=;\r\na,x;b\r\n1,0;2\r\n")],
    [
      { line: 2, cells: ["a,x", "b"] },
      { line: 3, cells: ["1,0", "2"] },
    ],
  );
  assert.deepEqual([...readCsv('"Net, in EUR, rounded";Date\n1;2\n')][0]?.cells, ["Net, in EUR, rounded", "Date"]);
});

const FORM: InvoiceForm = {
  columns: { day: "Date", amount: "Net", currency: "Cur", quantity: "No" },
  key: "day",
  currency: null,
  hasDecimalCommas: false,
};

test("lines are read in their form, and each that cannot be is named with its line and the reason", async () => {
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
  const { lines, bad } = await readInvoice(text, FORM);
  assert.deepEqual(
    lines.map(({ line, key, amount, currency, quantity }) => [line, key, amount, currency, quantity]),
    [
      [2, "2026-03-31", 350_000n, "EUR", 1],
      [3, "2026-03-31", 1_234_500_000n, "EUR", 2],
      [4, "2026-03-31", -350_000n, "EUR", 1],
    ],
  );
  assert.deepEqual(
    bad.map(({ line }) => line),
    [5, 6, 7, 8, 9, 10, 11],
  );
  assert.match(
    bad.map(({ problem }) => problem).join("; "),
    /date.*date.*amount.*ISO 4217.*whole number.*3 cells.*empty/,
  );
  await assert.rejects(readInvoice("a,b\n", FORM), /no column "Date". It has: a, b/);
  await assert.rejects(readInvoice("", FORM), /empty/);
  await assert.rejects(readInvoice("Date,Net,Net,Cur,No\n", FORM), /more than one column "Net"/);
});

test("a credit can be a negative quantity, and a quantity can have decimals that are zero", async () => {
  const one = async (quantity: string) =>
    (await readInvoice(`No,Date,Net,Cur\n"${quantity}",2026-03-31,1,EUR\n`, FORM)).lines[0]?.quantity;
  assert.deepEqual(await Promise.all(["-1", "3.00", "2,0", "0", "1.5", "1,000", "-"].map(one)), [
    -1,
    3,
    2,
    0,
    undefined,
    undefined,
    undefined,
  ]);
});

test("an amount that cannot be read is shown, and a decimal comma is named as the reason", async () => {
  const problem = async (net: string, hasDecimalCommas = false) =>
    (
      await readInvoice(`Date;Net\n2026-03-31;${net}\n`, {
        ...FORM,
        columns: { day: "Date", amount: "Net" },
        currency: "EUR",
        hasDecimalCommas,
      })
    ).bad[0]?.problem;
  assert.equal(await problem("4 EUR"), 'its amount "4 EUR" cannot be read');
  assert.equal(await problem("1.234,56"), 'its amount "1.234,56" cannot be read without --decimal-comma');
  assert.equal(await problem("1,234.56", true), 'its amount "1,234.56" cannot be read with --decimal-comma');
  assert.equal(await problem(""), "its amount is empty");
});

test("decimal commas are read only if they are said to be there", async () => {
  const one = async (net: string, hasDecimalCommas: boolean) =>
    (
      await readInvoice(`Date;Net\n2026-03-31;${net}\n`, {
        ...FORM,
        columns: { day: "Date", amount: "Net" },
        currency: "EUR",
        hasDecimalCommas,
      })
    ).lines[0]?.amount;
  assert.equal(await one("1.234,56", true), 1_234_560_000n);
  assert.equal(await one("0,35", true), 350_000n);
  assert.equal(await one("0,35", false), undefined);
  assert.equal(await one("1.23", true), undefined, "it may be a decimal point");
});

const AMOUNTS = { amounts: true, quantities: false };
const COUNTS = { amounts: false, quantities: true };
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

test("what is equal is counted, and each difference has its kind and its lines", async () => {
  const ledger = [
    ours("equal"),
    ours("ours"),
    ours("dear"),
    ours("open", { charged_yes: 0, charged_unknown: 1, least: 0n }),
    ours("free", { charged_yes: 0, charged_no: 1, least: 0n, most: 0n }),
    ours("unpriced", { currency: null, unpriced: 1, least: 0n, most: 0n }),
  ];
  const invoice = [
    theirs("equal", 4n),
    theirs("equal", 6n, 3),
    theirs("dear", 12n, 4),
    theirs("open", 10n, 5),
    theirs("free", 10n, 6),
    theirs("unpriced", 10n, 7),
    theirs("new", 1n, 8),
  ];
  const { differences, equal } = await compareInvoice(ledger, invoice, AMOUNTS);
  assert.equal(equal, 1);
  assert.deepEqual(
    Object.fromEntries(
      differences.filter(({ lines }) => lines.length > 0).map(({ key, kind, lines }) => [key, [kind, ...lines]]),
    ),
    {
      dear: ["differs", 4],
      free: ["theirs only", 6],
      new: ["theirs only", 8],
      open: ["unknown charge", 5],
      unpriced: ["no price", 7],
    },
  );
  const rest = differences.filter(({ lines }) => lines.length === 0).map(({ key, kind }) => [key, kind]);
  assert.deepEqual(rest, [["ours", "ours only"]]);
});

test("an unknown charge that the invoice lacks, a request without an order and a line billed twice are kinds of their own", async () => {
  const unknown = (parts: Partial<SpendLine> = {}) => ({ charged_yes: 0, charged_unknown: 1, least: 0n, ...parts });
  const ledger = [
    ours("lost", unknown()),
    ours("lost unpriced", unknown({ currency: null, unpriced: 1, most: 0n })),
    ours("elsewhere", unknown()),
    ours("mixed", unknown()),
    ours("mixed", { currency: "USD" }),
    { ...ours("", unknown()), key: null },
    ours("twice"),
    ours("thrice", { charged_unknown: 1, most: 20n }),
    ours("some", { charged_unknown: 2, most: 30n }),
    ours("none", { charged_unknown: 2, most: 30n }),
    ours("all", { charged_unknown: 2, most: 30n }),
  ];
  const invoice = [
    { ...theirs("elsewhere", 10n), currency: "USD" },
    theirs("twice", 10n, 3),
    theirs("twice", 10n, 4),
    ...[5, 6, 7].map((line) => theirs("thrice", 10n, line)),
    theirs("some", 20n, 8),
    theirs("none", 10n, 9),
    theirs("all", 30n, 10),
  ];
  const { differences } = await compareInvoice(ledger, invoice, AMOUNTS);
  const said = differences.map(({ key, currency, kind, answer }) => `${key}, ${currency}: ${kind}, ${answer}`);
  assert.deepEqual(
    said.toSorted(),
    [
      ", EUR: no order, null",
      "all, EUR: unknown charge, yes",
      // Billed in another currency.
      "elsewhere, EUR: ours only, null",
      "elsewhere, USD: theirs only, null",
      "lost unpriced, null: unknown, not billed, no",
      "lost, EUR: unknown, not billed, no",
      // Part of it is known to be charged.
      "mixed, EUR: ours only, null",
      "mixed, USD: ours only, null",
      "none, EUR: unknown charge, no",
      "some, EUR: unknown charge, null",
      "thrice, EUR: billed twice, null",
      "twice, EUR: billed twice, null",
    ].toSorted(),
  );
});

test("of an invoice with amounts and quantities both have to agree", async () => {
  const BOTH = { amounts: true, quantities: true };
  const kind = async (quantity: number, parts: Partial<SpendLine> = {}) => {
    const invoice = [{ ...theirs("a", 10n), quantity }];
    const [difference] = (await compareInvoice([ours("a", parts)], invoice, BOTH)).differences;
    return [difference?.kind, difference?.answer];
  };
  assert.deepEqual(await kind(1), [undefined, undefined]);
  assert.deepEqual(await kind(2), ["differs", null]);
  const open = { charged_yes: 0, charged_unknown: 2, least: 0n };
  assert.deepEqual(await kind(2, open), ["unknown charge", "yes"]);
  assert.deepEqual(await kind(1, open), ["unknown charge", null], "one of them is dearer than was billed");
  const nothing = [{ ...theirs("a", 0n), quantity: 1 }];
  const refused = ours("a", { charged_yes: 0, charged_no: 1, least: 0n, most: 0n });
  assert.deepEqual((await compareInvoice([refused], nothing, BOTH)).differences, []);
});

test("a call that is known to cost nothing is not missing from an invoice of amounts", async () => {
  const included = ours("included", { least: 0n, most: 0n });
  assert.deepEqual(await compareInvoice([included], [], AMOUNTS), { differences: [], equal: 1 });
  assert.equal((await compareInvoice([included], [], COUNTS)).differences[0]?.kind, "ours only");
  const unpriced = ours("unpriced", { currency: null, unpriced: 1, least: 0n, most: 0n });
  assert.equal((await compareInvoice([unpriced], [], AMOUNTS)).differences[0]?.kind, "no price");
});

test("an invoice without amounts is compared by its counts", async () => {
  const invoice = [{ ...theirs("a", 0n), amount: null, currency: null, quantity: 3 }];
  const count = async (charged_yes: number, charged_unknown = 0) =>
    (await compareInvoice([ours("a", { charged_yes, charged_unknown })], invoice, COUNTS)).differences.map(
      ({ kind }) => kind,
    );
  assert.deepEqual(await Promise.all([count(3), count(2), count(2, 1), count(0)]), [
    [],
    ["differs"],
    ["unknown charge"],
    ["theirs only"],
  ]);
});

test("no text is read for long without a pause, whatever it consists of", () => {
  const MANY = 100_000;
  for (const part of [",", '"', '""', '" "', 'x"', "\n", "\r", '"\n"', ",\n"]) {
    const pauses = [...readCsv(`a,b\n${part.repeat(MANY)}`)].length;
    assert.ok(pauses >= 10, `${JSON.stringify(part)}: ${pauses}`);
  }
});

test("other work runs while a large invoice is read and while it is compared", async () => {
  const LINES = 20_000;
  const orders = Array.from({ length: LINES }, (_, at) => `order-${at}`);
  let steps = 0;
  const stepsOf = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    const before = steps;
    return [await work(), steps - before];
  };
  const count = (): void => {
    steps += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  try {
    const form = { ...FORM, columns: { order: "a", amount: "b" }, key: "order", currency: "EUR" } as const;
    const text = `a,b\n${orders.map((order) => `${order},0.00001`).join("\n")}`;
    const [{ lines }, whileRead] = await stepsOf(() => readInvoice(text, form));
    const ledger = orders.map((order) => ours(order));
    const [{ equal }, whileCompared] = await stepsOf(() => compareInvoice(ledger, lines, AMOUNTS));
    assert.equal(equal, LINES);
    assert.ok(whileRead >= 5, `${whileRead} while read`);
    assert.ok(whileCompared >= 10, `${whileCompared} while compared`);
  } finally {
    clearImmediate(counting);
  }
});

test("a cell of two lines is not an amount, a long one is not shown, and there may be a limit to lines", async () => {
  const of = (text: string, linesMax?: number) =>
    readInvoice(text, { ...FORM, columns: { order: "a", amount: "b" }, key: "order", currency: "EUR" }, linesMax);
  const [two, long] = (await of(`a,b\nx,"1\n2"\ny,${"1".repeat(100_000)}`)).bad;
  assert.deepEqual(two, { line: 2, problem: 'its amount "1\n2" cannot be read' });
  assert.deepEqual(long, { line: 4, problem: `its amount "${"1".repeat(40)}" cannot be read` });
  await assert.rejects(of("c,".repeat(10_000)), (error: Error) => error.message.length < 400);
  await assert.rejects(of("a,b\n1,1\n2\n3,1\n", 2), /more than 2 lines/);
  assert.equal((await of("a,b\n1,1\n2\n", 2)).lines.length, 1);
});
