import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { FAULTS } from "../../terms/fault.ts";
import type { Budget } from "../../terms/money/budget.ts";
import type { ServiceState } from "../ports.ts";
import type { DeploymentObservation } from "./observe-deployment.ts";
import { ATTENTION, THRESHOLDS, findAttention } from "./find-attention.ts";

const NOON = Date.UTC(2026, 2, 10, 12);

const CALM: ServiceState = {
  notReady: [],
  openBreakers: [],
  refusedLately: { overloaded: 0 },
  unreadableDataKeys: 0,
  sourceDrift: [{ source: "acme__people", kinds: { failure_rate: 1, latency: 1 }, paths: [] }],
  ledger: {
    unavailable: null,
    pendingRuns: 3,
    lagMs: THRESHOLDS.lagMs,
    journalBytes: 1,
    journalBytesMax: 2,
    journalDaysLeft: THRESHOLDS.journalDaysLeft,
    damageMet: 0,
    undrainedRuns: 40,
    drainFailures: 0,
  },
};
const BUDGET: Budget = {
  id: "bud_1",
  organizationId: "org_1",
  workflowId: null,
  source: "acme__people",
  credentialId: null,
  per: "month",
  timeZone: "UTC",
  currency: "EUR",
  limit: 100_000_000n,
  warnPercent: 80,
  setWallAt: 0,
};
const used = (units: bigint, id = "bud_1") => ({
  budget: { ...BUDGET, id },
  period: { from: 0, to: 1 },
  used: units,
  leased: 0n,
  silent: 0n,
});
const NOTHING_SLOW = { sources: [], readAt: 0 };
const line = (credentialId: string | null, last: string) => ({
  source: "acme__people",
  credentialId,
  outcomes: { match: 1, no_match: 0, failed: 2, rejected: 0, no_credential: 0, unknown: 0 },
  faults: [{ code: "source.credential_rejected", calls: 2 }],
  p50Ms: 1,
  p99Ms: 1,
  countedFrom: 0,
  isComplete: true,
  lastAt: 0,
  last,
});

function seen({
  service = {},
  ledger = {},
  ...more
}: { service?: Partial<ServiceState>; ledger?: Partial<ServiceState["ledger"]> } & Partial<
  Omit<DeploymentObservation, "service">
> = {}): DeploymentObservation {
  return {
    wallAt: NOON,
    service: { ...CALM, ...service, ledger: { ...CALM.ledger, ...ledger } },
    ofStore: { budgets: [used(79_999_999n)], failedLogins: 0 },
    ofLedger: {
      unknown: { charges: 0, isMore: false, sinceWallAt: null },
      rejections: [],
      activity: [line(null, "source.credential_rejected"), line("cred_1", "match")],
      slow: NOTHING_SLOW,
    },
    problems: [],
    missing: [],
    ...more,
  };
}

const says = (one: DeploymentObservation) => findAttention(one).map((found) => found.says);

test("nothing is said when nothing needs a person, right up to each threshold", () => {
  assert.deepEqual(findAttention(seen()), []);
  const openBreakers = [{ source: "acme__people", organizationId: "org_1", openForMs: THRESHOLDS.breakerOpenMs - 1 }];
  assert.deepEqual(says(seen({ service: { openBreakers } })), []);
});

test("each thing is said in a sentence, with where it leads, and the most urgent first", () => {
  const breaker = (source: string, organizationId = "org_1") => ({
    source,
    organizationId,
    openForMs: THRESHOLDS.breakerOpenMs,
  });
  const found = findAttention(
    seen({
      service: {
        notReady: ["journal: the disk has no room left"],
        openBreakers: [breaker("acme__people"), breaker("acme__people", "org_2"), breaker("bell__phone")],
        refusedLately: { overloaded: 12, unavailable: 1, internal: 0 },
        unreadableDataKeys: 1,
        sourceDrift: [
          { source: "acme__people", kinds: { missing: 4, match_rate: 1 }, paths: ["name", "items[].id", "born"] },
          { source: "bell__phone", kinds: { new: 1, latency: 1 }, paths: ["carrier"] },
        ],
      },
      ledger: { lagMs: 3_400, journalDaysLeft: 12.7, damageMet: 2, undrainedRuns: 1_200, drainFailures: 3 },
      ofStore: {
        budgets: [
          used(96_500_000n),
          used(100_000_000n, "bud_3"),
          used(71_000_000n, "bud_2"),
          { ...used(1n, "bud_4"), silent: 1_500_000n },
        ],
        failedLogins: 5,
      },
      ofLedger: {
        unknown: { charges: 3, isMore: false, sinceWallAt: NOON },
        rejections: [{ budgetId: "bud_2", calls: 12, isMore: false, sinceWallAt: NOON - 60_000 }],
        activity: [
          line("cred_1", "source.credential_rejected"),
          {
            ...line(null, "match"),
            source: "bell__phone",
            outcomes: { match: 4, no_match: 1, failed: 5, rejected: 0, no_credential: 2, unknown: 0 },
            faults: [
              { code: "source.timeout", calls: 5 },
              { code: "source.credential_missing", calls: 2 },
            ],
          },
        ],
        slow: { sources: [{ source: "acme__people", p95Ms: 900, usualP95Ms: 240 }], readAt: NOON },
      },
      problems: ["The store does not answer."],
    }),
  );
  assert.deepEqual(
    found.map((one) => `${one.severity} ${one.what}: ${one.says}`),
    [
      "critical not_ready: No run is accepted: journal: the disk has no room left.",
      "critical unreadable: The store does not answer.",
      "critical budget_rejects: The budget of organization org_1, source acme__people has rejected 12 calls since 2026-03-10 11:59 UTC. Used this month: 71.00 EUR of 100.00 EUR.",
      "critical keys_unreadable: 1 data key cannot be opened, and credentials that are sealed with it fail.",
      "critical journal_damaged: Damage was found in the journal.",
      "critical refused_runs: 1 request was refused in the last five minutes because no run could be recorded, or the store failed.",
      "warning refused_runs: 12 requests were refused in the last five minutes because too many runs are in progress.",
      "warning budget_nearly_used: 96 % of the budget of organization org_1, source acme__people is used this month: 96.50 EUR of 100.00 EUR.",
      "warning budget_nearly_used: 100 % of the budget of organization org_1, source acme__people is used this month: 100.00 EUR of 100.00 EUR.",
      "warning budget_silent: 1.50 EUR of the budget of organization org_1, source acme__people are leased by processes that have not reported for a minute.",
      "warning source_failing: 5 of the last 10 calls of bell__phone failed, within an hour.",
      "warning credential_refused: The credential cred_1 of acme__people was refused by the vendor 2 times in the last hour.",
      "warning credential_missing: 2 calls of bell__phone had no credential in the last hour.",
      "warning charges_unknown: 3 charges are unknown since 2026-03-10 12:00 UTC.",
      "warning breaker_open: Calls to acme__people are refused for 2 organizations for now: most of the recent ones failed.",
      "warning breaker_open: Calls to bell__phone are refused for organization org_1 for now: most of the recent ones failed.",
      "warning source_slow: acme__people has become slow: 95 in 100 calls of the last hours took at most 900 ms, and 240 ms in the four weeks before.",
      "warning source_drift: acme__people has changed against the 28 days before: 4 paths of its replies (name, items[].id, born and others), and its match rate.",
      "warning source_drift: bell__phone has changed against the 28 days before: 1 path of its replies (carrier).",
      "warning ledger_lag: The ledger lags: the journal is 3 s behind its log.",
      "warning ledger_undrained: 1,200 runs have not reached the shared database.",
      "warning journal_fills_up: The journal will be full in 12 days at the rate of the last day.",
      "warning failed_logins: 5 logins to the admin API failed in the last 15 minutes.",
    ],
  );
  assert.deepEqual(found.find(({ what }) => what === "budget_nearly_used")?.filter, { budget: "bud_1" });
  const rejecting = found.find(({ what }) => what === "budget_rejects");
  assert.deepEqual(
    [rejecting?.page, rejecting?.filter, rejecting?.command],
    ["money", { budget: "bud_2" }, "datarun budget show bud_2"],
  );
  const one = says(
    seen({
      ofLedger: {
        unknown: { charges: 1, isMore: true, sinceWallAt: NOON },
        rejections: [],
        activity: [],
        slow: NOTHING_SLOW,
      },
    }),
  );
  assert.deepEqual(one, ["More than 1 charge is unknown since 2026-03-10 12:00 UTC."]);
});

test("a source is not failing by few calls, by half of them nearly, by a caller's inputs or a refused credential", () => {
  const activityOf = (failed: number, code: string, match: number) => [
    {
      ...line(null, "match"),
      outcomes: { match, no_match: 0, failed, rejected: 0, no_credential: 0, unknown: 0 },
      faults: [{ code, calls: failed }],
    },
  ];
  const whatOf = (failed: number, code: string, match: number) => {
    const unknown = { charges: 0, isMore: false, sinceWallAt: null };
    const activity = activityOf(failed, code, match);
    return findAttention(seen({ ofLedger: { unknown, rejections: [], activity, slow: NOTHING_SLOW } })).map(
      ({ what }) => what,
    );
  };
  assert.deepEqual(whatOf(9, "source.timeout", 0), []);
  assert.deepEqual(whatOf(99, "source.timeout", 101), []);
  assert.deepEqual(whatOf(100, "source.vendor_input", 0), []);
  assert.deepEqual(whatOf(100, "source.credential_rejected", 0), []);
  assert.deepEqual(whatOf(100, "source.vendor_5xx", 100), ["source_failing"]);
});

test("of a budget that rejects calls it is not also said that it is nearly used", () => {
  const rejections = [{ budgetId: "bud_1", calls: 1_000, isMore: true, sinceWallAt: NOON }];
  const ofLedger = {
    unknown: { charges: 0, isMore: false, sinceWallAt: null },
    activity: [],
    rejections,
    slow: NOTHING_SLOW,
  };
  assert.deepEqual(says(seen({ ofStore: { budgets: [used(100_000_000n)], failedLogins: 0 }, ofLedger })), [
    "The budget of organization org_1, source acme__people has rejected more than 1,000 calls since 2026-03-10 12:00 UTC. Used this month: 100.00 EUR of 100.00 EUR.",
  ]);
});

test("what can be seen is said although the rest cannot, and from a terminal nothing of the service", () => {
  const blind = { ...seen({ problems: ["The store does not answer."] }), ofStore: null, ofLedger: null, service: null };
  assert.deepEqual(says(blind), ["The store does not answer."]);
});

test("what is said has the alerts of Prometheus, with their thresholds and severities", () => {
  const file = new URL("../../../deploy/prometheus/rules.yaml", import.meta.url);
  const { groups } = parse(readFileSync(file, "utf8")) as {
    groups: { rules: { alert: string; expr: string; for?: string; labels: { severity: string } }[] }[];
  };
  const rules = new Map(groups[0]!.rules.map((rule) => [rule.alert, rule]));
  for (const alert of Object.values(ATTENTION).flatMap((alerts) => alerts?.split(" ") ?? []))
    assert.ok(rules.has(alert), alert);
  const refused = findAttention(seen({ service: { refusedLately: { overloaded: 1, unavailable: 1, internal: 1 } } }));
  assert.deepEqual(
    refused.map(({ severity }) => severity).toSorted(),
    ATTENTION.refused_runs
      .split(" ")
      .map((alert) => rules.get(alert)!.labels.severity)
      .toSorted(),
  );
  const expr = (alert: string) => rules.get(alert)!.expr;
  const foundFor = (code: string) => {
    const activity = [{ ...line(null, "match"), faults: [{ code, calls: THRESHOLDS.failingCalls }] }];
    const unknown = { charges: 0, isMore: false, sinceWallAt: null };
    return findAttention(seen({ ofLedger: { unknown, rejections: [], activity, slow: NOTHING_SLOW } }));
  };
  const failing = Object.entries(FAULTS)
    .filter(([code]) => code.startsWith("source.") && foundFor(code).some(({ what }) => what === "source_failing"))
    .map(([, { kind }]) => kind);
  const [, failed = "", ...sums] = expr("DatarunSourceFailing").split("outcome=~");
  assert.deepEqual(/"(.*)"/.exec(failed)![1]!.split("|").toSorted(), [...new Set(failing)].toSorted());
  for (const sum of sums) assert.ok(sum.startsWith(`"match|no_match|${/"(.*)"/.exec(failed)![1]}"`), sum);
  assert.match(expr("DatarunSourceFailing"), />= 0\.5/);
  assert.match(expr("DatarunSourceFailing"), new RegExp(`\\[1h\\]\\)\\) >= ${THRESHOLDS.failingCalls}$`));
  assert.match(expr("DatarunBudgetRejects"), /datarun_source_calls_total\{outcome="budget"\}/);
  assert.equal(rules.get("DatarunBudgetRejects")!.labels.severity, "critical");
  assert.match(expr("DatarunLedgerLag"), new RegExp(`> ${THRESHOLDS.lagMs / 1_000}$`));
  assert.match(expr("DatarunJournalFillsUp"), new RegExp(`< ${THRESHOLDS.journalDaysLeft}$`));
  assert.match(expr("DatarunFailedLogins"), /\[15m\]/);
  assert.match(expr("DatarunOverloaded"), /\[5m\]/);
  assert.equal(rules.get("DatarunBreakerOpen")!.for, `${THRESHOLDS.breakerOpenMs / 60_000}m`);
});
