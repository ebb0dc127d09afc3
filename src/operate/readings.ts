import { isNearlyUsed, type Budget } from "../terms/money/budget.ts";
import { ratioForMetric, type Micros } from "../terms/money/money.ts";
import { counter, gauge, type Metric } from "./metric.ts";

/** Current readings of the service, taken when the metrics page is requested. */
export interface Readings {
  /** Whether runs would be accepted. */
  isReady(): boolean;
  runsUnderWay(): number;
  heldBytes(): number;
  /** Open client connections, and connections closed without an answer since the start. */
  connections(): { readonly open: number; readonly dropped: number };
  openBreakers(): number;
  /** Failed logins to the admin API since the start. */
  failedLogins(): number;
  /** The load of each origin. */
  vendorCalls(): readonly { readonly inFlight: number; readonly waiting: number }[];
  functions(): FunctionReadings;
  /** Sampled runs since the start, by what became of their shadow runs. */
  shadowRuns(): ReadonlyMap<string, number>;
  /** What has changed about sources, by kind: the number of paths, or 1. */
  sourceDrift(): readonly { readonly source: string; readonly kinds: Readonly<Record<string, number>> }[];
  /** Sources whose calls have become slow. */
  slowSources(): readonly { readonly source: string; readonly p95Ms: number; readonly usualP95Ms: number }[];
  ledger(): LedgerReadings;
  /** The budgets that this process has used in their current period, and the use of each by all processes. */
  budgets(): readonly BudgetMetricReading[];
  /** Runs that have not reached the shared database; 0 without one. */
  undrainedRuns(): number;
  /** Damaged runs, which were not sent to the shared database. */
  damagedRuns(): number;
  unreadableDataKeys(): number;
  droppedLogLines(): number;
  spans(): { readonly sent: number; readonly dropped: number };
}

interface FunctionReadings {
  readonly active: number;
  readonly queued: number;
  readonly processes: number;
  readonly processesMax: number;
  readonly killed: number;
  readonly shadowsKilled: number;
}

interface LedgerReadings {
  /** The reason why no new run is accepted, or `null`. */
  readonly unavailable: string | null;
  readonly pendingRecords: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  readonly journalDaysLeft: number | null;
  readonly damageMet: number;
}

interface BudgetMetricReading {
  readonly budget: Pick<Budget, "id" | "limit" | "warnPercent">;
  readonly used: Micros;
}

const DAYS_LEFT_MAX = 3_650;

/** Only the fullest budgets have time series, so that their number is bounded. */
const BUDGETS_MAX = 100;

/** The metrics whose values other parts of the service keep. */
export const READING_METRICS: readonly Metric<Readings>[] = [
  gauge("datarun_ready", "1 if runs would be accepted, otherwise 0; /ready says why.", (it) => (it.isReady() ? 1 : 0)),
  gauge("datarun_runs_under_way", "Runs in progress.", (it) => it.runsUnderWay()),
  gauge(
    "datarun_ledger_pending_records",
    "Runs that have ended and are in the log of outcomes, but not in the journal yet.",
    (it) => it.ledger().pendingRecords,
  ),
  gauge(
    "datarun_ledger_lag_seconds",
    "Age of the oldest of the runs that are not in the journal yet.",
    (it) => it.ledger().lagMs / 1000,
  ),
  gauge("datarun_ledger_undrained_runs", "Runs that have not been sent to the shared database.", (it) =>
    it.undrainedRuns(),
  ),
  counter(
    "datarun_journal_damage_met_total",
    "Number of times the journal was found damaged: runs that were not sent to the shared database, deletions and writes that failed.",
    (it) => it.ledger().damageMet + it.damagedRuns(),
  ),
  counter(
    "datarun_log_lines_dropped_total",
    "Lines of the log that were dropped because their reader was too slow.",
    (it) => it.droppedLogLines(),
  ),
  counter("datarun_spans_sent_total", "Spans that a collector accepted.", (it) => it.spans().sent),
  counter(
    "datarun_spans_dropped_total",
    "Spans that no collector accepted, because it was unavailable, too slow, or rejected them.",
    (it) => it.spans().dropped,
  ),
  gauge(
    "datarun_data_keys_unreadable",
    "Data keys that could not be opened at the start. Credentials sealed with them fail.",
    (it) => it.unreadableDataKeys(),
  ),
  gauge("datarun_journal_bytes", "Size of the journal.", (it) => it.ledger().journalBytes),
  gauge("datarun_journal_bytes_max", "Size from which on no new run is accepted.", (it) => it.ledger().journalBytesMax),
  gauge(
    "datarun_journal_days_left",
    "Days until the journal is full at the rate of the last day; 3650 for more days or without growth.",
    (it) => Math.min(DAYS_LEFT_MAX, it.ledger().journalDaysLeft ?? DAYS_LEFT_MAX),
  ),
  gauge("datarun_vendor_calls_in_flight", "Requests to vendors in progress.", (it) =>
    sum(it.vendorCalls(), "inFlight"),
  ),
  gauge("datarun_vendor_calls_waiting", "Requests that wait for a connection.", (it) =>
    sum(it.vendorCalls(), "waiting"),
  ),
  {
    name: "datarun_shadow_runs_total",
    type: "counter",
    help: "Runs that were sampled for a shadow run: compared, dropped because of busy processes, memory, a version that cannot be loaded or a stop (stopping), or compared and not_stored.",
    labels: ["outcome"],
    read: (it) => [...it.shadowRuns()].map(([outcome, runs]) => [[outcome], runs] as const),
  },
  {
    name: "datarun_source_drift",
    type: "gauge",
    help: "What has changed about a source against the 28 days before: the number of paths that are missing, new, changed or in a shifted share of its replies, and 1 for a shifted match_rate, failure_rate or latency. Nothing else has a time series.",
    labels: ["source", "kind"],
    read: (it) =>
      it
        .sourceDrift()
        .flatMap(({ source, kinds }) => Object.entries(kinds).map(([kind, n]) => [[source, kind], n] as const)),
  },
  {
    name: "datarun_source_slow_ratio",
    type: "gauge",
    help: "How many times as long 95 in 100 calls of a source took in the last hours as in the 28 days before. Only sources that have become slow have a time series: at least twice as long, and 100 ms longer.",
    labels: ["source"],
    read: (it) => it.slowSources().map(({ source, p95Ms, usualP95Ms }) => [[source], p95Ms / usualP95Ms] as const),
  },
  gauge("datarun_function_runs_under_way", "Functions in progress.", (it) => it.functions().active),
  gauge("datarun_function_runs_waiting", "Functions that wait for a process.", (it) => it.functions().queued),
  gauge(
    "datarun_function_processes",
    "Processes that run functions, including the spare one.",
    (it) => it.functions().processes,
  ),
  gauge(
    "datarun_function_processes_max",
    "Maximum number of organizations whose functions can run at the same time.",
    (it) => it.functions().processesMax,
  ),
  counter(
    "datarun_function_processes_killed_total",
    "Processes killed because of a function that ran in them.",
    (it) => it.functions().killed,
  ),
  counter(
    "datarun_shadow_processes_killed_total",
    "Processes of shadow runs killed because of a function that ran in them. No answer was affected.",
    (it) => it.functions().shadowsKilled,
  ),
  gauge("datarun_held_bytes", "Bytes of requests, replies and answers that are held in memory.", (it) =>
    it.heldBytes(),
  ),
  gauge("datarun_connections", "Open client connections.", (it) => it.connections().open),
  counter(
    "datarun_connections_dropped_total",
    "Client connections closed without an answer, because too many were open or too many requests waited on one.",
    (it) => it.connections().dropped,
  ),
  gauge(
    "datarun_budgets_nearly_used",
    "Budgets beyond their warning level in the current period, as far as this process knows.",
    (it) => it.budgets().filter(({ budget, used }) => isNearlyUsed(budget, used)).length,
  ),
  counter("datarun_failed_logins_total", "Requests to the admin API with an unknown, expired or revoked token.", (it) =>
    it.failedLogins(),
  ),
  gauge("datarun_breakers_open", "Open circuit breakers, by source and credential.", (it) => it.openBreakers()),
  {
    name: "datarun_budget_used_ratio",
    type: "gauge",
    help: "Share of a budget that is used or reserved in its current period, as far as this process knows; for at most the 100 fullest budgets.",
    labels: ["budget"],
    read: (it) =>
      it
        .budgets()
        .map(({ budget, used }) => [[budget.id], ratioForMetric(used, budget.limit)] as const)
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, BUDGETS_MAX),
  },
];

function sum<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((total, row) => total + row[key], 0);
}
