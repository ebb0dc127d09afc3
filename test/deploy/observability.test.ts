import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { encodeCounts, type ShapeCounts } from "../../src/health/shape-counts.ts";
import { adminPort } from "../rig/admin.ts";
import { movableClock } from "../rig/movable-clock.ts";
import { startService, type TestService } from "../rig/service.ts";
import { asksVendor, sendsCredential, source, throws } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const RULES = (parse(read("deploy/prometheus/rules.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const DASHBOARD = JSON.parse(read("deploy/grafana/datarun.json")) as {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: { query: string } | string }[];
  };
};
/** Which Prometheus adds itself. */
const OF_PROMETHEUS = new Set(["instance", "job"]);

interface Selected {
  readonly metric: string;
  /** Names that are matched, and the value of those that must be equal to one. */
  readonly matched: readonly (readonly [label: string, equals: string | null])[];
  /** The function that it is given to at once, such as `rate`. */
  readonly by: string | null;
}

/** Functions that mistake the restart of a process for a fall, and those that mistake a fall for a restart. */
const FOR_GAUGES = new Set([
  "delta",
  "idelta",
  "deriv",
  "predict_linear",
  "holt_winters",
  "double_exponential_smoothing",
]);
const FOR_COUNTERS = new Set(["rate", "irate", "increase"]);
/** It only looks like a counter: Node's dashboards know it by this name. */
const NO_COUNTER = "nodejs_active_resources_total";

/** What an expression reads, by the grammar of Prometheus' own editor. Fails on an expression that it does not know. */
function readExpression(expression: string): {
  readonly selected: readonly Selected[];
  readonly grouped: readonly string[];
} {
  // Grafana fills in its variables; to the grammar they are nothing.
  const text = expression.replaceAll("$__rate_interval", "5m").replaceAll(/\$(instance|source)\b/g, ".*");
  const selected: { metric: string; matched: [string, string | null][]; by: string | null }[] = [];
  const grouped: string[] = [];
  const calls: string[] = [];
  parser.parse(text).iterate({
    enter(node) {
      const own = text.slice(node.from, node.to);
      assert.ok(!node.type.isError, `${expression}: cannot be read at "${text.slice(node.from)}"`);
      if (node.name === "FunctionCall") {
        calls.push(/^\w+/.exec(own)![0]);
      } else if (node.name === "VectorSelector") {
        selected.push({ metric: /^\w+/.exec(own)![0], matched: [], by: calls.at(-1) ?? null });
      } else if (node.name === "UnquotedLabelMatcher") {
        const [, label, sign, value] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(own)!;
        selected.at(-1)!.matched.push([label!, sign === "=" ? value! : null]);
      } else if (node.name === "GroupingLabels") {
        grouped.push(
          ...own
            .slice(1, -1)
            .split(",")
            .map((label) => label.trim()),
        );
      }
    },
    leave(node) {
      if (node.name === "FunctionCall") calls.pop();
    },
  });
  assert.ok(selected.length > 0, expression);
  return { selected, grouped };
}

/** Metrics of an expression that are given to a function for another type. `types`: by the names of metrics on the page. */
function misused(expression: string, types: ReadonlyMap<string, string>): readonly string[] {
  return readExpression(expression)
    .selected.filter(({ metric, by }) => {
      const family = types.has(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, "");
      const grows = types.get(family) !== "gauge";
      return by !== null && (grows ? FOR_GAUGES : FOR_COUNTERS).has(by);
    })
    .map(({ metric, by }) => `${by} of ${metric}`);
}

/** The types of a page's metrics, by name. */
function readTypes(page: string): ReadonlyMap<string, string> {
  return new Map([...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
}

/** The label sets of each metric of a page. */
function readPage(page: string): ReadonlyMap<string, readonly Readonly<Record<string, string>>[]> {
  const metrics = new Map<string, Record<string, string>[]>();
  for (const line of page.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? /.exec(line)!;
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label!, value!] as const);
    metrics.set(name!, [...(metrics.get(name!) ?? []), Object.fromEntries(pairs)]);
  }
  return metrics;
}

test("each rule and each panel reads metrics and labels that a service under faults has, by functions for their types", async (t) => {
  const vendor = await startVendor(t);
  const price = { charge: { model: "per_call", amount: 0.1, currency: "EUR" } } as const;
  const { clock, moveAhead, runBackground } = movableClock(-2 * DAY_MS);
  let slowMs = 0;
  const service = await startService(t, {
    clock,
    sources: [
      asksVendor("acme__people", vendor, "/json", price),
      asksVendor("acme__down", vendor, "/status/503", price),
      throws("acme__throws", new Error("x")),
      source("acme__slow", () => (moveAhead(slowMs), {})),
      sendsCredential("acme__locked", vendor, "/json"),
    ],
    vendors: [vendor],
  });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  for (let runs = 0; runs < 1_000; runs += 50)
    await Promise.all(Array.from({ length: 50 }, () => service.run({ acme__slow: true })));
  moveAhead(2 * DAY_MS - 2 * HOUR_MS);
  slowMs = 500;
  for (let runs = 0; runs < 50; runs += 1) await service.run({ acme__slow: true });
  moveAhead(2 * HOUR_MS - 50 * slowMs);
  const owner = await service.operator.appoint("owner");
  await result("budget set", { org: service.a.id, per: "day", calls: 100 }, owner);
  await service.run({ acme__people: true, acme__down: true, acme__throws: true, acme__locked: true });
  await result("budget set", { org: service.a.id, source: "acme__people", per: "day", calls: 1 }, owner);
  await until(async () => !(await service.run({ acme__people: true })).json().status.acme__people.success);
  await changeReplies(service, clock.wall());
  let page = "";
  await until(async () => {
    runBackground();
    page = await (await fetch(`${service.adminUrl}/metrics`)).text();
    return page.includes("\ndatarun_source_drift{") && page.includes("\ndatarun_source_slow_ratio{");
  });
  const metrics = readPage(page);
  const types = readTypes(page);
  for (const [name, type] of types)
    if (name !== NO_COUNTER) assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);

  const expressions = [
    ...RULES.map(({ alert, expr }) => [alert, expr] as const),
    ...DASHBOARD.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ];
  assert.ok(expressions.length > 50);
  for (const [place, expression] of expressions) {
    const { selected, grouped } = readExpression(expression);
    assert.deepEqual(misused(expression, types), [], place);
    const labels = new Set(selected.flatMap(({ metric }) => metrics.get(metric)?.flatMap(Object.keys) ?? []));
    for (const { metric, matched } of selected) {
      const rows = metrics.get(metric);
      assert.ok(rows !== undefined, `${place}: no metric ${metric}`);
      for (const [label, equals] of matched) {
        if (OF_PROMETHEUS.has(label)) continue;
        const isThere = rows.some((row) => label in row && (equals === null || row[label] === equals));
        assert.ok(isThere, `${place}: ${metric} has no ${label}${equals === null ? "" : `="${equals}"`}`);
      }
    }
    for (const label of grouped)
      assert.ok(labels.has(label) || OF_PROMETHEUS.has(label), `${place}: nothing to group by ${label}`);
  }
});

/** As if sampled replies of two days ago had a path that those of this hour lack. */
async function changeReplies({ operator }: TestService, wallAt: number): Promise<void> {
  const types = { null: 0, boolean: 0, number: 0, string: 0, list: 0, object: 100 };
  const reply: [string, { total: number; types: typeof types; maps: number }] = ["", { total: 100, types, maps: 0 }];
  const save = async (span: "hour" | "day", at: number, counts: ShapeCounts) => {
    const shape = { source: "acme__people", version: "digest", span, at, writer: "st_1", samples: 100 };
    await operator.saveReplyShapes([{ ...shape, counts: await encodeCounts(counts) }]);
  };
  await save("day", wallAt - (wallAt % DAY_MS) - 2 * DAY_MS, new Map([reply, ["company", reply[1]]]));
  await save("hour", wallAt - (wallAt % HOUR_MS), new Map([reply]));
}

test("a panel's legend names labels that are left by its expression, and its choices are labels of metrics", () => {
  for (const { title, targets = [] } of DASHBOARD.panels) {
    for (const { expr, legendFormat } of targets) {
      const { grouped } = readExpression(expr);
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        assert.ok(grouped.includes(label!), `${title}: ${label}`);
    }
  }
  const [, ...choices] = DASHBOARD.templating.list;
  assert.deepEqual(
    choices.map(({ name, query }) => [name, (query as { query: string }).query]),
    [
      ["instance", "label_values(datarun_runs_under_way, instance)"],
      ["source", "label_values(datarun_source_calls_total, source)"],
    ],
  );
});

test("a mistyped metric, label, value, expression or function would be found", () => {
  assert.throws(() => readExpression("sum(rate(x[5m])"));
  const read = readExpression(
    'sum by (code) (rate(datarun_refusals_total{instance=~"$instance", code="internal"}[5m]))',
  );
  const matched = [
    ["instance", null],
    ["code", "internal"],
  ];
  assert.deepEqual(read, {
    selected: [{ metric: "datarun_refusals_total", matched, by: "rate" }],
    grouped: ["code"],
  });
  const types = new Map([
    ["counted_total", "counter"],
    ["level", "gauge"],
    ["took_seconds", "histogram"],
  ]);
  for (const [expression, wrong] of [
    ["sum(delta(counted_total[5m])) > 0", ["delta of counted_total"]],
    ["deriv(took_seconds_count[5m])", ["deriv of took_seconds_count"]],
    ["sum by (code) (increase(level[5m])) + level", ["increase of level"]],
    ["max(delta(level[5m])) / sum(increase(counted_total[5m])) + sum(rate(took_seconds_bucket[5m]))", []],
  ] as const)
    assert.deepEqual(misused(expression, types), wrong, expression);
});

test("the table of the operations guide and the rules name the same alerts, and each rule points to a part of the docs", () => {
  const table = [...read("docs/guides/operations.md").matchAll(/^\| `(Datarun\w+)` \|/gm)].map(([, alert]) => alert!);
  assert.deepEqual([...new Set(table)].sort(), RULES.map(({ alert }) => alert).sort());
  const tried = read("deploy/prometheus/rules.test.yaml");
  for (const { alert, annotations } of RULES) {
    assert.ok(tried.includes(`alertname="${alert}"`), `${alert} is tried by promtool`);
    const [file, anchor] = annotations.runbook.split("#") as [string, string?];
    assert.ok(existsSync(join(ROOT, file)), `${alert}: ${file}`);
    if (anchor === undefined) continue;
    const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
      text!
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    assert.ok(headings.includes(anchor), `${alert}: ${annotations.runbook}`);
  }
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test(
  "Prometheus fires each rule when it should, and none for a calm service",
  { skip: !hasPromtool && "promtool is not installed" },
  () => {
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "rules.test.yaml"], {
      cwd: join(ROOT, "deploy/prometheus"),
      encoding: "utf8",
    });
    assert.equal(status, 0, stdout + stderr);
  },
);
