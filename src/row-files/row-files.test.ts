import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { ExactNumber } from "../terms/json/exact-number.ts";
import { DUCKDB_FILE } from "./duckdb-file.kit.ts";
import { openReader } from "./open-reader.ts";
import { openWriter } from "./open-writer.ts";
import { type Column, formatOf, RowFileError } from "./row-file.ts";
import { readAll, temporaryFolder, writeAll } from "./row-files.kit.ts";

const isFormula = /^(?:\s*[=+\-@]|[\t\r])/;
const cell = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("a,b", 'say "x"', "two\r\nlines", "=1+1", " -2", "ä"),
);
const name = fc
  .string({ minLength: 1, maxLength: 8 })
  .filter((text) => text.trim() === text && !isFormula.test(text) && /[^\d.,+-]/.test(text) && !text.includes("\0"));

test("a CSV file that was written has the same rows when it is read, with an apostrophe before formulas", async (t) => {
  const path = join(temporaryFolder(t), "rows.csv");
  const table = fc
    .uniqueArray(name, { minLength: 2, maxLength: 5 })
    .chain((names) =>
      fc.tuple(
        fc.constant(names),
        fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length }), { maxLength: 20 }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(table, async ([names, cells]) => {
      rmSync(path, { force: true });
      const columns = names.map((one): Column => ({ name: one, type: "text" }));
      const rows = cells.map((row) =>
        Object.fromEntries(row.map((value, at) => [names[at]!, value.replaceAll("\0", "")])),
      );
      await writeAll(path, "csv", columns, rows);
      const seen = (text: string) => (text === "" ? null : isFormula.test(text) ? `'${text}` : text);
      const expected = rows.map((row, at) => ({
        number: at + 1,
        values: Object.fromEntries(Object.entries(row).map(([key, value]) => [key, seen(value)])),
      }));
      assert.deepEqual(await readAll(path, "csv", { delimiter: "," }), expected);
    }),
    { numRuns: 60 },
  );
});

const value = fc.record({
  text: fc.option(fc.string({ unit: "grapheme" })),
  whole: fc.option(fc.maxSafeInteger()),
  real: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0))),
  flag: fc.option(fc.boolean()),
  any: fc.option(fc.jsonValue()),
  at: fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 })),
  price: fc.option(fc.bigInt({ min: 0n, max: 1_000_000_000_000_000n })),
});

const COLUMNS: readonly Column[] = [
  { name: "text", type: "text" },
  { name: "whole", type: "integer" },
  { name: "real", type: "number" },
  { name: "flag", type: "boolean" },
  { name: "any", type: "json" },
  { name: "at", type: "moment" },
  { name: "price", type: "amount" },
];

test("a Parquet file that was written has the same rows when it is read, and exact amounts", async (t) => {
  const path = join(temporaryFolder(t), "rows.parquet");
  const decimal = (micros: bigint) => `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, "0")}`;
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 40 }), async (values) => {
      rmSync(path, { force: true });
      const rows = values.map((row) => ({ ...row, price: row.price === null ? null : decimal(row.price) }));
      await writeAll(path, "parquet", COLUMNS, rows as never);
      const expected = rows.map((row, at) => ({
        number: at + 1,
        values: {
          ...row,
          any: row.any === null ? null : JSON.stringify(row.any),
          at: row.at === null ? null : new Date(row.at).toISOString(),
        },
      }));
      assert.deepEqual(await readAll(path, "parquet"), expected);
    }),
    { numRuns: 60 },
  );
});

test("a JSON Lines file that was written has the same rows when it is read", async (t) => {
  const path = join(temporaryFolder(t), "rows.jsonl");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ text: fc.string(), any: fc.jsonValue() }), { maxLength: 20 }),
      async (rows) => {
        rmSync(path, { force: true });
        const columns: readonly Column[] = [
          { name: "text", type: "text" },
          { name: "any", type: "json" },
        ];
        // JSON has no negative zero.
        const plain = JSON.parse(JSON.stringify(rows)) as typeof rows;
        await writeAll(path, "jsonl", columns, plain as never);
        assert.deepEqual(
          await readAll(path, "jsonl"),
          plain.map((values, at) => ({ number: at + 1, values })),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("files of many rows are written in several row groups, and read in pieces", async (t) => {
  const folder = temporaryFolder(t);
  const rows = Array.from({ length: 25_300 }, (_, at) => ({ id: `row ${at}`, at }));
  const columns: readonly Column[] = [
    { name: "id", type: "text" },
    { name: "at", type: "integer" },
  ];
  for (const format of ["csv", "jsonl", "parquet"] as const) {
    const path = join(folder, `rows.${format}`);
    await writeAll(path, format, columns, rows);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const { pieces } = await openReader(path, format);
    let [count, largest] = [0, 0];
    for await (const piece of pieces) {
      for (const row of piece) {
        count += 1;
        assert.equal(row.number, count);
        assert.ok("values" in row && Number(row.values["at"]) === count - 1);
      }
      largest = Math.max(largest, piece.length);
    }
    assert.deepEqual([count, largest], [25_300, 1_000], format);
    // A second pass, and one that is ended early.
    for await (const piece of pieces) assert.ok(piece.length > 0);
    for await (const piece of pieces) if (piece.length > 0) break;
  }
});

test("a file that exists already is not changed", async (t) => {
  const path = join(temporaryFolder(t), "rows.csv");
  writeFileSync(path, "kept");
  for (const format of ["csv", "jsonl", "parquet"] as const)
    await assert.rejects(openWriter(path, format, [{ name: "a", type: "text" }]), { code: "EEXIST" });
  assert.equal(readFileSync(path, "utf8"), "kept");
});

test("formulas in CSV are texts, also in the header, and numbers stay numbers", async (t) => {
  const path = join(temporaryFolder(t), "rows.csv");
  const columns: readonly Column[] = [
    { name: "=name", type: "text" },
    { name: "n", type: "number" },
    { name: "long", type: "integer" },
    { name: "list", type: "json" },
  ];
  await writeAll(path, "csv", columns, [
    { "=name": "@x", n: -1.5, long: new ExactNumber("-12345678901234567890"), list: ["=1"] },
    { "=name": "plain", n: null, list: null },
  ]);
  assert.equal(
    readFileSync(path, "utf8"),
    `'=name,n,long,list\r\n'@x,-1.5,-12345678901234567890,"[""=1""]"\r\nplain,,,\r\n`,
  );
});

const CSV_FILES: Readonly<Record<string, string>> = {
  commas: "name,city\nAda,London\nBob,\n",
  semicolons: "name;city\r\nAda;London\r\nBob;\r\n",
  tabs: "\ufeffname\tcity\nAda\tLondon\nBob\t",
  bars: "name|city\nAda|London\n\n\nBob|\n",
  "a line of Excel": "sep=;\nname;city\nAda;London\nBob;\n",
  "a semicolon in a quoted name": '"name","city"\n"Ada","London"\n"Bob",""',
  "blanks around names": " name , city \nAda,London\nBob,\n",
  "carriage returns": "name,city\rAda,London\rBob,\r",
};

for (const [says, text] of Object.entries(CSV_FILES))
  test(`CSV is read with ${says}`, async (t) => {
    const path = join(temporaryFolder(t), "rows.csv");
    writeFileSync(path, text);
    assert.deepEqual((await openReader(path, "csv")).columns, ["name", "city"]);
    assert.deepEqual(await readAll(path, "csv"), [
      { number: 1, values: { name: "Ada", city: "London" } },
      { number: 2, values: { name: "Bob", city: null } },
    ]);
  });

test("CSV is read with another delimiter that is named, and quoted line breaks", async (t) => {
  const path = join(temporaryFolder(t), "rows.csv");
  writeFileSync(path, 'a^b\n"1\r\n2"^"say ""x"""\n');
  assert.deepEqual(await readAll(path, "csv", { delimiter: "^" }), [
    { number: 1, values: { a: "1\r\n2", b: 'say "x"' } },
  ]);
});

test("a row of CSV with another number of cells is named, and the others are read", async (t) => {
  const path = join(temporaryFolder(t), "rows.csv");
  writeFileSync(path, 'a,b\n1,2\n"x\ny",2,3\n\nlonely\n5,6\n');
  assert.deepEqual(await readAll(path, "csv"), [
    { number: 1, values: { a: "1", b: "2" } },
    { number: 2, problem: "line 3 has 3 cells, and the first line 2" },
    { number: 3, problem: "line 6 has 1 cell, and the first line 2" },
    { number: 4, values: { a: "5", b: "6" } },
  ]);
});

test("names of properties that every object has are columns like others", async (t) => {
  const path = join(temporaryFolder(t), "rows.csv");
  writeFileSync(path, "__proto__,constructor\n1,2\n");
  const [row] = await readAll(path, "csv");
  assert.ok(row !== undefined && "values" in row);
  assert.deepEqual(Object.entries(row.values), [
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});

const NOT_CSV: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ["nothing", "", /^The file is empty\. Its first line must name the columns\.$/],
  ["blank lines", "\n\n", /^The file is empty\./],
  ["numbers instead of names", "1,2\n3,4\n", /^The first line must name the columns, but it has only numbers\.$/],
  ["a column without a name", "a,,c\n1,2,3\n", /^The first line does not name column 2\.$/],
  ["a name twice", "a,b,a\n1,2,3\n", /^The first line names the column "a" twice\.$/],
  ["an open quote", 'a,b\n1,2\n"3,4\n5,6\n', /not closed\.$/],
  ["text after a quote", 'a,b\n1,2\n"3"x,4\n', /^Line 3 has text after a closing quote\./],
  ["a quote within a cell", 'a,b\n1,2\n3"x",4\n', /^Line 3 has a quote within a cell that is not quoted\.$/],
  ["Latin 1", Buffer.from("a,b\n1,2\nM\xfcller,4\n", "latin1"), /^Line 3 is not UTF-8\. Save the file as UTF-8\.$/],
  ["UTF-16", Buffer.from("\ufeffa,b\n1,2\n", "utf16le"), /^The file is in UTF-16\. Save it as UTF-8\.$/],
  ["a program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]), /^The file is not a text/],
];

for (const [says, text, expected] of NOT_CSV)
  test(`${says} is no CSV, and the message names what is wrong`, async (t) => {
    const path = join(temporaryFolder(t), "rows.csv");
    writeFileSync(path, text);
    await assert.rejects(readAll(path, "csv"), (error: Error) => {
      assert.ok(error instanceof RowFileError, String(error));
      assert.match(error.message, expected);
      return true;
    });
  });

test("a character at the border of two reads is whole, and one that is cut off is not UTF-8", async (t) => {
  const path = join(temporaryFolder(t), "rows.csv");
  for (const shift of [0, 1, 2, 3]) {
    writeFileSync(path, `a,b\n${"x".repeat(shift)},${"\u{1F600}".repeat(40_000)}\n`);
    const [row] = await readAll(path, "csv");
    assert.ok(row !== undefined && "values" in row);
    assert.equal((row.values["b"] as string).length, 80_000);
  }
  writeFileSync(path, Buffer.concat([Buffer.from("a,b\n1,"), Buffer.from("\u{1F600}").subarray(0, 2)]));
  await assert.rejects(readAll(path, "csv"), /Line 2 is not UTF-8/);
});

test("a line that is not a JSON object is named, and the others are read", async (t) => {
  const path = join(temporaryFolder(t), "rows.jsonl");
  writeFileSync(
    path,
    Buffer.concat([
      Buffer.from('\ufeff{"a":1}\n\n{"a":\n[1]\n'),
      Buffer.from('{"a":"\xfc"}\n', "latin1"),
      Buffer.from('{"a":12345678901234567890}'),
    ]),
  );
  assert.deepEqual(await readAll(path, "jsonl"), [
    { number: 1, values: { a: 1 } },
    { number: 2, problem: "the line is not JSON" },
    { number: 3, problem: "the line is not a JSON object" },
    { number: 4, problem: "the line is not UTF-8" },
    { number: 5, values: { a: new ExactNumber("12345678901234567890") } },
  ]);
});

test("a Parquet file that is cut off, or is none, is refused", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "rows.parquet");
  await writeAll(path, "parquet", [{ name: "a", type: "text" }], [{ a: "x" }]);
  const whole = readFileSync(path);
  for (const [at, bytes] of [
    whole.subarray(0, whole.length - 9),
    whole.subarray(0, 7),
    Buffer.from("a,b\n"),
    Buffer.alloc(0),
  ].entries()) {
    const cut = join(folder, `${at}.parquet`);
    writeFileSync(cut, bytes);
    await assert.rejects(readAll(cut, "parquet"), {
      name: "RowFileError",
      message: "The file is not Parquet, or its end is missing.",
    });
  }
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 4, 24);
  writeFileSync(join(folder, "damaged.parquet"), damaged);
  await assert.rejects(readAll(join(folder, "damaged.parquet"), "parquet"), {
    name: "RowFileError",
    message: /^Row group 1 cannot be read/,
  });
});

test("a Parquet file of another writer is read with exact decimals, long integers and times", async (t) => {
  const path = join(temporaryFolder(t), "rows.parquet");
  writeFileSync(path, DUCKDB_FILE);
  const [row, nulls] = await readAll(path, "parquet");
  assert.deepEqual(row, {
    number: 1,
    values: {
      dsmall: "1.25",
      dmiddle: "12345678901.123456",
      dlarge: "-12345678901234567890.12",
      big: "9007199254740993",
      here: "2026-01-02T03:04:05.123456",
      utc: "2026-01-02T03:04:05.000Z",
      nanos: "2026-01-02T03:04:05.123456789",
      day: "2026-02-03",
      list: [1, 2],
      object: { a: 1, b: "x" },
      nan: null,
      word: "ü",
    },
  });
  assert.ok(nulls !== undefined && "values" in nulls);
  assert.deepEqual(new Set(Object.values(nulls.values)), new Set([null]));
});

test("the format of a file is that of its name's ending", () => {
  assert.deepEqual(["a.csv", "a.TSV", "b/c.jsonl", "x.ndjson", "a.parquet", "a.xlsx", "csv", "a.csv/b"].map(formatOf), [
    "csv",
    "csv",
    "jsonl",
    "jsonl",
    "parquet",
    null,
    null,
    null,
  ]);
});
