import assert from "node:assert/strict";
import { test } from "node:test";
import { damagedLine, headOf } from "../../src/ledger/read/export-lines.ts";
import { csvLine } from "../../src/terms/text/csv-line.ts";
import { damagedLines } from "../../console/api/damaged-lines.ts";

const RUNS = ["trx_0192", 'an "odd", one', "one\nof two lines", "one that started at 2026-03-01T00:00:00.000Z"];

for (const format of ["csv", "jsonl"] as const) {
  test(`damaged runs are found in an export as ${format}, wherever its pieces are cut, and nothing is taken for one`, () => {
    const columns = headOf("csv").split(",").length;
    const cells = (...own: string[]) => csvLine([...own, ...Array.from({ length: columns - own.length }, () => null)]);
    // What comes from elsewhere may look like such a line, inside its own.
    const other =
      format === "csv"
        ? cells("trx_1", "ended", "org_1", `\n${damagedLine("trx_fake", format)}`) + cells("trx_2", "damaged", "org_1")
        : `${JSON.stringify({ run: { transaction_id: "trx_1", state: "ended", kind: damagedLine("trx_fake", format) } })}\n`;
    const text = headOf(format) + RUNS.map((run) => other + damagedLine(run, format)).join("") + other;
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 7, 64, bytes.length]) {
      const lines = damagedLines(format);
      for (let at = 0; at < bytes.length; at += size) lines.take(bytes.subarray(at, at + size));
      assert.deepEqual(lines.found(), { count: RUNS.length, named: RUNS }, `pieces of ${size}`);
    }
  });
}

test("a text without ends of lines costs no more than its length, and what comes after it is found", () => {
  const lines = damagedLines("csv");
  const megabyte = new TextEncoder().encode("x".repeat(1_000_000));
  for (let at = 0; at < 64; at += 1) lines.take(megabyte);
  lines.take(new TextEncoder().encode(`\r\n${damagedLine("trx_1", "csv")}`));
  assert.deepEqual(lines.found(), { count: 1, named: ["trx_1"] });
});

test("of many damaged runs some are named, and all are counted", () => {
  const lines = damagedLines("jsonl");
  for (let at = 0; at < 50; at += 1) lines.take(new TextEncoder().encode(damagedLine(`trx_${at}`, "jsonl")));
  const { count, named } = lines.found();
  assert.deepEqual([count, named.length, named[19]], [50, 20, "trx_19"]);
});
