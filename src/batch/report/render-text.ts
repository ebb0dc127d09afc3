import { printable } from "../../terms/text/printable.ts";
import { counted } from "./counted.ts";
import type { BatchReport, ReportedWaterfall } from "./make-report.ts";
import { costWords, fieldWords, orderCostWords, percent, rateWords, stepWords } from "./report-words.ts";

const ORDERS_SHOWN = 10;

/** The report for a terminal. */
export function renderReportText(report: BatchReport): string {
  const { rows, remarks, sources, coverage, agreement, waterfall } = report;
  const blocks = [
    [counted(rows, "row"), ...remarks.map(printable)].join("\n"),
    table([
      ["SOURCE", "ASKED", "SUCCESS", "MATCH", "ONLY HERE", "P50 MS", "P95 MS", "COST", "PER ROW", "PER MATCH"],
      ...sources.map((one) => [
        one.source,
        String(one.success.of),
        rateWords(one.success),
        one.match === null ? "-" : rateWords(one.match),
        one.only_match === null ? "-" : String(one.only_match),
        String(one.p50_ms ?? "-"),
        String(one.p95_ms ?? "-"),
        costCell(one.costs.map(costWords), one.calls_without_price),
        listOrDash(one.costs.map(({ per_row: amount, currency }) => `${amount} ${currency}`)),
        listOrDash(
          one.costs.flatMap(({ per_match: amount, currency }) => (amount === null ? [] : [`${amount} ${currency}`])),
        ),
      ]),
    ]),
    ...sources
      .filter(({ failures }) => Object.keys(failures).length > 0)
      .map(({ source, failures }) => {
        const kinds = Object.entries(failures).map(([kind, count]) => `${kind} ${count}`);
        return printable(`Failures of ${source}: ${kinds.join(", ")}`);
      }),
    ...(coverage === null ? [] : [`At least one source finds ${rateWords(coverage.any)} of the rows.`]),
    ...(coverage === null || coverage.overlap.length === 0
      ? []
      : [
          table([
            ["SOURCE", "OTHER", "BOTH FIND", "ONLY SOURCE", "ONLY OTHER"],
            ...coverage.overlap.map((one) => [
              one.source,
              one.other,
              String(one.both),
              String(one.only_source),
              String(one.only_other),
            ]),
          ]),
        ]),
    ...(agreement.length === 0
      ? []
      : [
          table([
            ["FIELD", "SOURCE", "OTHER", "ROWS WITH BOTH", "SAME", "FIRST ROWS THAT DIFFER"],
            ...agreement.map((one) => [
              fieldWords(one),
              one.source,
              one.other,
              String(one.same.of),
              rateWords(one.same),
              listOrDash(one.differing_rows.map(String)),
            ]),
          ]),
        ]),
    ...(waterfall === null ? [] : waterfallBlocks(waterfall)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function waterfallBlocks({ computed, orders, cheapest, no_cheapest, wanted_percent, wanted_rows }: ReportedWaterfall) {
  const shown = orders.slice(0, ORDERS_SHOWN);
  const goal = wanted_percent === null ? "all rows that any source finds" : `${wanted_percent} % of the rows`;
  const head =
    computed === "every order"
      ? `Waterfalls, each source asked only for what those before it have not found (the first ${shown.length} of ${orders.length}${orders.length === 120 ? " kept" : ""}):`
      : "Waterfall of more than 8 sources: one order, in which each next source has the lowest cost per row found. Others may be cheaper.";
  return [
    `${head}\n${table([
      ["ORDER AND ROWS ADDED", "FOUND", "CALLS", "COST AT MOST"],
      ...shown.map((order) => [
        stepWords(order),
        order.found.share === null ? "-" : `${percent(order.found.share)} %`,
        String(order.calls),
        orderCostWords(order),
      ]),
    ])}`,
    cheapest === null
      ? `Cheapest order for ${goal}: none. ${no_cheapest ?? ""}`
      : `Cheapest order for ${goal} (${wanted_rows}): ${printable(stepWords(cheapest) || "no source")}; ${counted(cheapest.calls, "call")}, ${orderCostWords(cheapest)}`,
  ];
}

function costCell(costs: readonly string[], without: number): string {
  return listOrDash([...costs, ...(without === 0 ? [] : [`${counted(without, "call")} without a price`])]);
}

function listOrDash(texts: readonly string[]): string {
  return texts.length === 0 ? "-" : texts.join(", ");
}

function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)));
  return cells
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
