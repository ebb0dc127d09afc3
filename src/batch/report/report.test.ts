import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import type { Json } from "../../terms/json/json.ts";
import { amountText } from "../../terms/money/money.ts";
import { renderReportHtml } from "./render-html.ts";
import { renderReportText } from "./render-text.ts";
import { rateOf } from "./rate.ts";
import { openNames } from "../../composition/commands/batch-report/open-names.ts";
import { reportFiles } from "./report-files.ts";

type Entry = Readonly<Record<string, Json>>;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-report-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const found = (output: Json = {}, more: Entry = {}): Entry => ({
  success: true,
  match: true,
  message: "",
  response_time_ms: 40,
  output,
  charged: "yes",
  cost: { amount: "0.30", currency: "EUR" },
  ...more,
});
const noRecord = (more: Entry = {}): Entry => ({ ...found({}, { charged: "no", cost: null }), match: false, ...more });
const failed = (more: Entry = {}): Entry => ({
  ...noRecord(),
  success: false,
  failure: { kind: "timeout", retryable: true, charged: "no" },
  ...more,
});

function recordLine(row: number, sources: Readonly<Record<string, Entry>>): string {
  const head = { row, ref: `r-${row}`, asked_at: "2026-03-01T00:00:00.000Z", took_ms: 50, http_status: 200 };
  return `${JSON.stringify({ ...head, transaction_id: `trx_${row}`, inputs: {}, sources })}\n`;
}

/** An output with these records, in rows from 1. */
function outputOf(folder: string, name: string, rows: readonly Readonly<Record<string, Entry>>[]): string {
  const out = join(folder, name);
  writeFileSync(out, rows.map((sources, at) => recordLine(at + 1, sources)).join(""));
  return out;
}

const report = (outs: readonly string[], agree: readonly string[] = [], coverage?: number) =>
  reportFiles({ outs, agree, coverage, openNames });

test("sources are compared by matches, times, costs, overlap and what each adds", async (t) => {
  const out = outputOf(folderOf(t), "out.jsonl", [
    { a: found(), b: found({}, { cost: { amount: "0.10", currency: "EUR" }, response_time_ms: 5 }) },
    { a: found(), b: noRecord({ response_time_ms: 7 }) },
    { a: noRecord(), b: found({}, { cost: { amount: "0.10", currency: "EUR" }, response_time_ms: 90 }) },
    {
      a: failed({ charged: "unknown", cost: { amount: "0.30", currency: "EUR" } }),
      b: noRecord({ response_time_ms: 6 }),
    },
  ]);
  const made = await report([out], [], 75);
  const [a, b] = made.sources;
  assert.equal(made.rows, 4);
  assert.deepEqual([a!.match!.count, a!.match!.of, a!.success.count, a!.only_match], [2, 4, 3, 1]);
  assert.deepEqual(a!.failures, { timeout: 1 });
  assert.deepEqual(a!.costs, [{ currency: "EUR", least: "0.60", most: "0.90", per_row: "0.225", per_match: "0.45" }]);
  assert.deepEqual([b!.p50_ms, b!.p95_ms], [6, 90]);
  assert.deepEqual(made.coverage!.overlap, [{ source: "a", other: "b", both: 1, only_source: 1, only_other: 1 }]);
  assert.equal(made.coverage!.any.count, 3);
  const orders = made.waterfall!.orders.map(({ steps, costs, calls }) => [
    steps.map(({ source, found: rows }) => `${source}+${rows}`).join(" "),
    costs,
    calls,
  ]);
  assert.deepEqual(orders, [
    ["b+2 a+1", [{ currency: "EUR", most: "0.80" }], 6],
    ["a+2 b+1", [{ currency: "EUR", most: "1.00" }], 6],
  ]);
  assert.deepEqual(
    made.waterfall!.cheapest!.steps.map(({ source }) => source),
    ["b", "a"],
  );
  assert.deepEqual(
    (await report([out], [], 50)).waterfall!.cheapest!.steps.map(({ source }) => source),
    ["b"],
  );
  const none = (await report([out], [], 99)).waterfall!;
  assert.deepEqual([none.cheapest, none.no_cheapest], [null, "All sources together find 3 rows, and 4 are wanted."]);
  const text = renderReportText(made);
  assert.match(text, /^4 rows\n\nSOURCE +ASKED/);
  assert.match(
    text,
    /a +4 +75\.0 % \(30\.1–95\.4\) +50\.0 % \(15\.0–85\.0\) +1 +40 +40 +0\.60–0\.90 EUR +0\.225 EUR +0\.45 EUR/,
  );
  assert.match(text, /Cheapest order for 75 % of the rows \(3\): b 2, a \+1; 6 calls, 0\.80 EUR/);
});

const cell = fc.constantFrom<Entry>(
  found(),
  found({}, { cost: { amount: "0.07", currency: "EUR" } }),
  noRecord(),
  noRecord({ charged: "yes", cost: { amount: "0.000001", currency: "EUR" } }),
  failed({ charged: "unknown", cost: { amount: "0.30", currency: "EUR" } }),
  failed(),
);
const IDS = ["a", "b", "c", "d"];

/** What an order costs and finds, row by row. */
function walk(rows: readonly (readonly Entry[])[], order: readonly number[]) {
  let [cost, calls, hits] = [0n, 0, 0];
  for (const row of rows)
    for (const at of order) {
      const entry = row[at]!;
      calls += 1;
      const price = entry["cost"] as { readonly amount: string } | null;
      if (price !== null) cost += BigInt(Math.round(Number(price.amount) * 1_000_000));
      if (entry["success"] !== true || entry["match"] !== true) continue;
      hits += 1;
      break;
    }
  return { cost, calls, hits };
}

test("every order, and the cheapest for a coverage, is what asking row by row would give", async (t) => {
  const folder = folderOf(t);
  const orders: number[][] = [[]];
  for (const order of orders) for (const at of IDS.keys()) if (!order.includes(at)) orders.push([...order, at]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell, cell), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 100 }),
      async (rows, coverage) => {
        const lines = rows.map((row) => Object.fromEntries(row.map((entry, at) => [IDS[at]!, entry])));
        const made = (await report([outputOf(folder, "out.jsonl", lines)], [], coverage)).waterfall!;
        assert.equal(made.orders.length, 24);
        for (const { steps, costs, calls, found: hits } of made.orders) {
          const walked = walk(
            rows,
            steps.map(({ source }) => IDS.indexOf(source)),
          );
          assert.deepEqual([calls, hits.count], [walked.calls, walked.hits]);
          assert.equal(costs[0]?.most ?? "0.00", amountText(walked.cost));
        }
        const wanted = Math.ceil((rows.length * coverage) / 100 - 1e-9);
        const enough = orders.map((order) => walk(rows, order)).filter(({ hits }) => hits >= wanted);
        const best = enough.reduce<bigint | null>(
          (least, { cost }) => (least === null || cost < least ? cost : least),
          null,
        );
        assert.equal(
          made.cheapest === null ? null : (made.cheapest.costs[0]?.most ?? "0.00"),
          best === null ? null : amountText(best),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test("different currencies are never added, and then no order is the cheapest", async (t) => {
  const usd = { cost: { amount: "1.00", currency: "USD" } };
  const out = outputOf(folderOf(t), "out.jsonl", [
    { a: found(), b: found({}, usd) },
    { a: noRecord(), b: found({}, usd) },
  ]);
  const { waterfall } = await report([out]);
  assert.deepEqual(
    waterfall!.orders.map(({ costs }) => costs.map(({ most, currency }) => `${most} ${currency}`)),
    [["2.00 USD"], ["0.30 EUR", "1.00 USD"]],
  );
  assert.deepEqual(
    [waterfall!.cheapest, waterfall!.no_cheapest],
    [null, "The costs are in EUR and USD, which are not added."],
  );
});

test("a price that is not known is in no cost, and is said", async (t) => {
  const out = outputOf(folderOf(t), "out.jsonl", [{ a: found({}, { charged: null, cost: null }), b: found() }]);
  const made = await report([out]);
  assert.equal(made.sources[0]!.calls_without_price, 1);
  assert.deepEqual(made.sources[0]!.costs, []);
  assert.deepEqual(made.remarks, [
    "1 call of a may have been charged without a known price, in no cost of this report.",
  ]);
  // The order that certainly costs 0.30 is before the one whose cost nobody knows.
  assert.deepEqual(
    made.waterfall!.cheapest!.steps.map(({ source }) => source),
    ["b"],
  );
  assert.match(renderReportText(made), /a 1, b \+0 .* nothing \+ 1 call without a price/);
});

test("fields agree whatever the case, accents, punctuation and spaces, in rows where both sources have one", async (t) => {
  const out = outputOf(folderOf(t), "out.jsonl", [
    { a: found({ who: { name: "Société Générale, S.A." } }), b: found({ names: [" SOCIETE  GENERALE S A"] }) },
    { a: found({ who: { name: "Ada" } }), b: found({ names: ["Bob"] }) },
    { a: found({ who: { name: "Ada" } }), b: found({ names: [] }) },
    { a: noRecord(), b: found({ names: ["Bob"] }) },
  ]);
  const [name] = (await report([out], ["name=a.who.name,b.names.0"])).agreement;
  assert.deepEqual([name!.field, name!.same.count, name!.same.of, name!.differing_rows], ["name", 1, 2, [2]]);
  for (const wrong of ["name", "name=a.x", "=a.x,b.y", "name=a,b", "name=a.x,a.y"])
    await assert.rejects(report([out], [wrong]), { code: "usage" }, wrong);
  await assert.rejects(report([out], ["name=a.x,nobody.y"]), {
    code: "usage",
    message: /names nobody, which was not asked/,
  });
});

test("names agree by the comparison of the catalog, in rows where they can be compared", async (t) => {
  const out = outputOf(folderOf(t), "out.jsonl", [
    { a: found({ name: "Example GmbH" }), b: found({ name: "EXAMPLE Gesellschaft mit beschränkter Haftung" }) },
    { a: found({ name: "Example & Sons Ltd" }), b: found({ name: "Example and Sons Limited" }) },
    { a: found({ name: "Alpha Ltd" }), b: found({ name: "Omega Ltd" }) },
    { a: found({ name: "Example GmbH" }), b: found({ name: "Example AG" }) },
    { a: found({ name: "Dugma Ltd" }), b: found({ name: "דוגמה" }) },
    { a: found({ name: "x".repeat(400) }), b: found({ name: 7 }) },
  ]);
  const paths = "a.name,b.name";
  const [company, text, person] = (await report([out], [`name:company=${paths}`, `name=${paths}`, `p:person=${paths}`]))
    .agreement;
  const counts = (one: typeof company) => [one!.compared_as, one!.same.count, one!.same.of, one!.differing_rows];
  assert.deepEqual(counts(company), ["company", 2, 4, [3, 4]]);
  assert.deepEqual(counts(text), ["text", 0, 6, [1, 2, 3, 4, 5]]);
  assert.equal(person!.same.count, 0);
  const made = await report([out], [`name:company=${paths}`]);
  assert.match(renderReportText(made), /name \(company\) +a +b +4 +50\.0 %/);
  await assert.rejects(report([out], [`name:town=${paths}`]), {
    code: "usage",
    message: "--agree name:town: names are compared as FIELD:company or FIELD:person.",
  });
});

test("outputs of the same input are joined by row, and others are refused", async (t) => {
  const folder = folderOf(t);
  const state = (out: string, sha256: string, lines = "") =>
    writeFileSync(
      `${out}.state`,
      `datarun-batch 1 ${JSON.stringify({ id: "bat_1", sha256, rows: 3, spec: {} })}\n${lines}`,
    );
  const one = outputOf(folder, "one.jsonl", [{ a: found() }, { a: noRecord() }, { a: found() }]);
  const two = outputOf(folder, "two.jsonl", [{ b: noRecord() }, { b: found() }]);
  const both = await report([one, two]);
  assert.deepEqual([both.rows, both.coverage!.any.count], [3, 3]);
  assert.deepEqual(both.remarks.at(-1), "b was not asked in 1 row, where it counts as finding nothing.");
  assert.match(both.remarks[0]!, /one\.jsonl\.state is missing/);
  state(one, "1", "done 1 trx_1\ndone 2 trx_2\ndone 3 trx_3\n");
  state(two, "1", "done 1 trx_1\ndone 2 trx_2\nrejected 3\n");
  const [partial] = (await report([one, two])).remarks;
  assert.match(partial!, /two\.jsonl has answers for 2 of 3 rows, 1 of the others was rejected\./);
  state(two, "2");
  await assert.rejects(report([one, two]), { code: "refused", message: /are of different input files/ });
  const again = outputOf(folder, "again.jsonl", [{ a: found() }]);
  await assert.rejects(report([one, again]), {
    code: "refused",
    message: /a is in .*one\.jsonl and in .*again\.jsonl/,
  });
  await assert.rejects(report([one, one]), { code: "usage", message: /is given twice/ });
});

test("an empty output, one source, only failures and other forms have clear results", async (t) => {
  const folder = folderOf(t);
  await assert.rejects(report([join(folder, "none.jsonl")]), { code: "not_found" });
  await assert.rejects(report([outputOf(folder, "empty.jsonl", [])]), {
    code: "refused",
    message: /no row is answered yet/,
  });
  const single = await report([outputOf(folder, "single.jsonl", [{ a: found() }])]);
  assert.deepEqual([single.waterfall, single.coverage!.overlap], [null, []]);
  const dead = await report([
    outputOf(folder, "dead.jsonl", [
      { a: failed(), b: failed() },
      { a: failed(), b: failed() },
    ]),
  ]);
  assert.deepEqual([dead.coverage!.any.count, dead.waterfall!.cheapest!.steps.length], [0, 0]);
  assert.match(renderReportText(dead), /Failures of a: timeout 2/);
  const strange = join(folder, "strange.jsonl");
  for (const line of ['{"row":1,"sources":[]}', '{"row":1,"sources":{"a":{"ok":true}}}', '{"row":1}', '{"a":1}']) {
    writeFileSync(strange, `${line}\n`);
    await assert.rejects(
      report([strange]),
      { code: "refused", message: /form that this version cannot read|not a record of a batch/ },
      line,
    );
  }
  // Records of an earlier version have no costs.
  const early = outputOf(folder, "early.jsonl", [
    { a: { success: true, match: true, response_time_ms: 3, output: {} } },
  ]);
  assert.equal((await report([early])).sources[0]!.calls_without_price, 1);
  const func = join(folder, "func.jsonl");
  const entry = { id: "dfunc_x", success: true, message: "", response_time_ms: 12, output: {}, pipes: {} };
  writeFileSync(func, `${JSON.stringify({ row: 1, function: entry })}\n`);
  const ofFunction = await report([func]);
  assert.deepEqual(
    [ofFunction.sources[0]!.match, ofFunction.sources[0]!.p50_ms, ofFunction.coverage],
    [null, 12, null],
  );
  assert.match(renderReportText(ofFunction), /dfunc_x +1 +100\.0 %/);
});

test("more than eight sources get one order, which is said", async (t) => {
  const sources = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, at < 3 ? found() : noRecord()]));
  const made = await report([outputOf(folderOf(t), "out.jsonl", [sources, sources])]);
  assert.deepEqual([made.waterfall!.computed, made.waterfall!.orders.length], ["one order, greedily", 1]);
  assert.equal(made.waterfall!.cheapest!.found.count, 2);
  assert.match(renderReportText(made), /Others may be cheaper\./);
});

test("the page loads nothing, runs nothing, and shows every name as text", async (t) => {
  const evil = `x"><script>alert(1)</script>&'`;
  const made = await report(
    [outputOf(folderOf(t), "out.jsonl", [{ [evil]: found({ n: 1 }), b: found({ n: 1 }) }])],
    [`${evil}=b.n,${evil}.n`],
  );
  const html = renderReportHtml(made);
  assert.doesNotMatch(html, /<script|<link|<img|url\(|https?:|\son\w+=/);
  assert.ok(html.includes("x&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;"));
  assert.match(html, /<svg viewBox[^]+Match rate by source/);
  const escape = String.fromCharCode(27);
  const control = await report([outputOf(folderOf(t), "out.jsonl", [{ [`a${escape}[2J`]: found(), b: found() }])]);
  assert.ok(!renderReportText(control).includes(escape));
});

test("the interval of a share is Wilson's", () => {
  const { low, high } = rateOf(8, 10);
  assert.deepEqual([low!.toFixed(4), high!.toFixed(4)], ["0.4902", "0.9433"]);
  assert.deepEqual(rateOf(0, 0), { count: 0, of: 0, share: null, low: null, high: null });
  assert.deepEqual([rateOf(10, 10).high, rateOf(0, 10).low], [1, 0]);
});
