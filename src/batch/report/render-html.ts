import { counted } from "./counted.ts";
import type { BatchReport, ReportedOrder } from "./make-report.ts";
import type { Rate } from "./rate.ts";
import { costWords, fieldWords, orderCostWords, percent, rateWords, stepWords } from "./report-words.ts";

const ORDERS_SHOWN = 24;

const STYLE = `
:root { color-scheme: light dark; --line: #8886; --bar: #2f6fd6; --add: #5fa35f; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1.5rem 1rem; max-width: 72rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.wide { overflow-x: auto; } .wide > svg { min-width: 40rem; } td:first-child { min-width: 10rem; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; } svg text { fill: currentColor; font: 12px system-ui, sans-serif; }
.note { background: var(--soft); padding: .5rem .8rem; border-radius: .3rem; }`;

/** The report as one page that loads nothing and runs nothing. */
export function renderReportHtml(report: BatchReport): string {
  const { rows, remarks, sources, coverage, agreement, waterfall } = report;
  const matches = sources.flatMap(({ source, match }) => (match === null ? [] : [{ name: source, rate: match }]));
  const parts = [
    `<h1>Comparison of sources</h1><p>${counted(rows, "row")}</p>`,
    ...remarks.map((remark) => `<p class="note">${escape(remark)}</p>`),
    matches.length === 0 ? "" : `<h2>Match rate</h2>${rateChart([...matches, ...anyOf(report)])}`,
    "<h2>Sources</h2>",
    table(
      ["Source", "#Asked", "#Success", "#Match", "#Only here", "#p50 ms", "#p95 ms", "#Cost", "#Per row", "#Per match"],
      sources.map((one) => [
        one.source,
        one.success.of,
        rateWords(one.success),
        one.match === null ? "-" : rateWords(one.match),
        one.only_match ?? "-",
        one.p50_ms ?? "-",
        one.p95_ms ?? "-",
        [
          ...one.costs.map(costWords),
          ...(one.calls_without_price === 0 ? [] : [`${counted(one.calls_without_price, "call")} without a price`]),
        ].join(", ") || "-",
        one.costs.map(({ per_row: amount, currency }) => `${amount} ${currency}`).join(", ") || "-",
        one.costs
          .flatMap(({ per_match: amount, currency }) => (amount === null ? [] : [`${amount} ${currency}`]))
          .join(", ") || "-",
      ]),
    ),
    failuresPart(sources),
    coverage === null || coverage.overlap.length === 0
      ? ""
      : `<h2>Overlap</h2>${table(
          ["Source", "Other", "#Both find", "#Only source", "#Only other"],
          coverage.overlap.map((one) => [one.source, one.other, one.both, one.only_source, one.only_other]),
        )}`,
    agreement.length === 0
      ? ""
      : `<h2>Agreement</h2>${table(
          ["Field", "Source", "Other", "#Rows with both", "#Same", "First rows that differ"],
          agreement.map((one) => [
            fieldWords(one),
            one.source,
            one.other,
            one.same.of,
            rateWords(one.same),
            one.differing_rows.join(", ") || "-",
          ]),
        )}<p>Texts: case, accents, punctuation and spaces do not count. Names of companies and persons: they agree if the catalog compares them as equal or close.</p>`,
    waterfall === null ? "" : waterfallPart(waterfall, rows),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Comparison of sources</title><style>${STYLE}</style></head>
<body>${parts.join("\n")}
<p>Intervals are 95 % Wilson score intervals. Costs are what the records say; the ledger is exact.</p></body></html>
`;
}

function failuresPart(sources: BatchReport["sources"]): string {
  const rows = sources.flatMap(({ source, failures }) =>
    Object.entries(failures).map(([kind, count]) => [source, kind, count]),
  );
  return rows.length === 0 ? "" : `<h2>Failures</h2>${table(["Source", "Kind", "#Calls"], rows)}`;
}

function anyOf({ coverage, sources }: BatchReport): { readonly name: string; readonly rate: Rate }[] {
  return coverage === null || sources.length < 2 ? [] : [{ name: "at least one", rate: coverage.any }];
}

function waterfallPart(waterfall: NonNullable<BatchReport["waterfall"]>, rows: number): string {
  const { computed, orders, cheapest, no_cheapest, wanted_percent } = waterfall;
  const goal = wanted_percent === null ? "all rows that any source finds" : `${wanted_percent} % of the rows`;
  const says =
    cheapest === null
      ? `none. ${no_cheapest ?? ""}`
      : `${stepWords(cheapest)}; ${counted(cheapest.calls, "call")}, ${orderCostWords(cheapest)}.`;
  const shown = orders.slice(0, ORDERS_SHOWN);
  return `<h2>Waterfalls</h2>
<p>Each source is asked only for the rows that those before it have not found. ${
    computed === "every order"
      ? `The ${shown.length} first orders, the cheapest on top.`
      : "There are more than 8 sources, so this is one order, in which each next source has the lowest cost per row found. Others may be cheaper."
  }</p>
<p class="note"><strong>Cheapest order for ${escape(goal)}:</strong> ${escape(says)}</p>
${cheapest === null || rows === 0 ? "" : stepChart(cheapest, rows)}
${table(
  ["Order and rows added", "#Found", "#Calls", "#Cost at most"],
  shown.map((order) => [
    stepWords(order),
    order.found.share === null ? "-" : `${percent(order.found.share)} %`,
    order.calls,
    orderCostWords(order),
  ]),
)}`;
}

const [LABEL, WIDTH, LINE] = [240, 900, 30];

/** A bar for each share, with its interval. */
function rateChart(bars: readonly { readonly name: string; readonly rate: Rate }[]): string {
  const scale = WIDTH - LABEL - 170;
  const rowsOf = bars.map(({ name, rate: { share, low, high } }, at) => {
    const y = at * LINE;
    const [from, to] = [LABEL + (low ?? 0) * scale, LABEL + (high ?? 0) * scale];
    const bar = `<rect x="${LABEL}" y="${y + 6}" width="${round((share ?? 0) * scale)}" height="16" fill="var(--bar)"/>`;
    const line = `<path d="M${round(from)} ${y + 14}H${round(to)}M${round(from)} ${y + 9}v10M${round(to)} ${y + 9}v10" stroke="currentColor" fill="none"/>`;
    const says = share === null ? "-" : `${percent(share)} % (${percent(low!)}–${percent(high!)})`;
    return `${label(name, y)}${bar}${share === null ? "" : line}<text x="${WIDTH - 160}" y="${y + 18}">${says}</text>`;
  });
  return svg(bars.length, "Match rate by source", rowsOf);
}

/** What each source of an order adds. */
function stepChart(order: ReportedOrder, rows: number): string {
  const scale = WIDTH - LABEL - 170;
  let before = 0;
  const rowsOf = order.steps.map(({ source, found, asked }, at) => {
    const y = at * LINE;
    const [from, width] = [LABEL + (before / rows) * scale, (found / rows) * scale];
    before += found;
    return `${label(source, y)}<rect x="${round(from)}" y="${y + 6}" width="${round(width)}" height="16" fill="var(--add)"/><text x="${WIDTH - 160}" y="${y + 18}">+${found} of ${asked} asked</text>`;
  });
  return svg(order.steps.length, "Rows that each source adds", rowsOf);
}

function svg(lines: number, title: string, content: readonly string[]): string {
  return `<div class="wide"><svg viewBox="0 0 ${WIDTH} ${lines * LINE + 4}" role="img" aria-label="${escape(title)}">${content.join("")}</svg></div>`;
}

function label(name: string, y: number): string {
  const short = name.length > 34 ? `${name.slice(0, 33)}…` : name;
  return `<text x="0" y="${y + 18}"><title>${escape(name)}</title>${escape(short)}</text>`;
}

function round(value: number): string {
  return value.toFixed(1);
}

/** A head that begins with `#` is a column of numbers. */
function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const areNumbers = heads.map((head) => head.startsWith("#"));
  const cellOf = (tag: "th" | "td", text: string | number, at: number) =>
    `<${tag}${areNumbers[at] === true ? ' class="n"' : ""}>${escape(String(text))}</${tag}>`;
  const head = heads.map((text, at) => cellOf("th", text.replace(/^#/, ""), at)).join("");
  const body = rows.map((row) => `<tr>${row.map((text, at) => cellOf("td", text, at)).join("")}</tr>`).join("\n");
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
