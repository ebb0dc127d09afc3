import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCsv } from "../../src/admin/invoice/read-csv.ts";
import { guessMeanings, readColumns } from "../../console/pages/money/read-columns.ts";

test("headings are read as the service reads them", () => {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const anyName = fc.string({ minLength: 1 }).filter((name) => name.trim() === name && name !== "");
  fc.assert(
    fc.property(
      fc.array(anyName, { minLength: 2, maxLength: 6 }),
      fc.constantFrom(",", ";", "\t"),
      (names, delimiter) => {
        const text = `\ufeff${names.map(quoted).join(delimiter)}\r\n${names.map(() => "1").join(delimiter)}\r\n`;
        assert.deepEqual(readColumns(text), { columns: names, delimiter, first: names.map(() => "1") });
        assert.deepEqual([...readCsv(text)][0]!.cells, names);
      },
    ),
  );
  for (const text of ["sep=;\r\na,x;b\r\n1;2", "a,x;b;c", ""])
    assert.deepEqual(readColumns(text).columns, [...readCsv(text)][0]?.cells ?? [], JSON.stringify(text));
});

test("what a column means is guessed once, from its heading or from our ids in it", () => {
  const guess = (head: string, first = "") => guessMeanings(readColumns(`${head}\n${first}\n`));
  assert.deepEqual(guess("Reference,Date,Product,Net"), {
    order: "Reference",
    day: "Date",
    amount: "Net",
  });
  assert.deepEqual(guess("Datum;Betrag;Währung;Menge"), {
    day: "Datum",
    amount: "Betrag",
    currency: "Währung",
    quantity: "Menge",
  });
  assert.deepEqual(guess("x"), {});
  const id = "trx_019ca000000070008000000000000001";
  assert.deepEqual(guess("Net;;Reference;Auftrag", `1,00;;${id};B-1`), {
    transaction: "Reference",
    order: "Auftrag",
    amount: "Net",
  });
});
