import { isNearlyUsed, type Budget } from "../terms/budget.ts";
import { ratioForMetric, type Micros } from "../terms/money.ts";

/** Current readings of the service. Each is taken when the metrics page is requested. */
export interface Readings {
  /** Runs would be accepted. */
  isReady(): boolean;
  runsUnderWay(): number;
  heldBytes(): number;
  /** Connections of clients that are open, and those closed without an answer since the start. */
  connections(): { readonly open: number; readonly dropped: number };
  openBreakers(): number;
  /** Failed logins to the admin API since the start. */
  failedLogins(): number;
  /** The connections to each origin. */
  vendorCalls(): readonly { readonly inFlight: number; readonly waiting: number }[];
  functions(): FunctionReadings;
  ledger(): LedgerReadings;
  /** The budgets that this process has used in their current period, and how much of them everybody has used. */
  budgets(): readonly BudgetReading[];
  /** Runs that have not reached the shared database; 0 if there is none. */
  undrainedRuns(): number;
  /** Runs that were not sent to the shared database since the start, because they are damaged. */
  damagedRuns(): number;
  unreadableDataKeys(): number;
  droppedLogLines(): number;
  spans(): { readonly sent: number; readonly dropped: number };
}

interface FunctionReadings {
  readonly active: number;
  readonly queued: number;
  readonly children: number;
  readonly apart: number;
  readonly killed: number;
}

interface LedgerReadings {
  /** Why no new run is accepted, or `null`. */
  readonly unavailable: string | null;
  readonly pendingRecords: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  readonly journalDaysLeft: number | null;
  readonly damageMet: number;
}

interface BudgetReading {
  readonly budget: Pick<Budget, "id" | "limit" | "warnPercent">;
  readonly used: Micros;
}

interface Gauge {
  readonly help: string;
  readonly read: (readings: Readings) => number;
}

/** A gauge with one value for each of several things, which have to be bounded in number. */
interface LabelledGauge {
  readonly help: string;
  readonly label: string;
  readonly read: (readings: Readings) => readonly (readonly [label: string, value: number])[];
}

const DAYS_LEFT_MAX = 3_650;

/** Every gauge of the metrics page, by its name there without `datarun_`. */
export const GAUGES: Readonly<Record<string, Gauge>> = {
  ready: { help: "1 if runs would be accepted, otherwise 0; /ready says why.", read: (it) => (it.isReady() ? 1 : 0) },
  runs_under_way: { help: "Runs under way now.", read: (it) => it.runsUnderWay() },
  ledger_pending_records: {
    help: "Runs that have ended and are in the log of outcomes, but not in the journal yet.",
    read: (it) => it.ledger().pendingRecords,
  },
  ledger_lag_seconds: { help: "Age of the oldest of them.", read: (it) => it.ledger().lagMs / 1000 },
  ledger_undrained_runs: {
    help: "Runs that have not gone to the shared database.",
    read: (it) => it.undrainedRuns(),
  },
  journal_damage_met: {
    help: "How often since the start the journal was found damaged: runs kept back from the shared database, deletions and writes that failed.",
    read: (it) => it.ledger().damageMet + it.damagedRuns(),
  },
  log_lines_dropped: {
    help: "Lines of the log that were dropped since the start, because their reader was too slow.",
    read: (it) => it.droppedLogLines(),
  },
  spans_sent: { help: "Spans that a collector has taken since the start.", read: (it) => it.spans().sent },
  spans_dropped: {
    help: "Spans that no collector has taken, because it was away, too slow or refused them, since the start.",
    read: (it) => it.spans().dropped,
  },
  data_keys_unreadable: {
    help: "Data keys that could not be opened at the start: credentials that are sealed with them fail.",
    read: (it) => it.unreadableDataKeys(),
  },
  journal_bytes: { help: "Size of the journal.", read: (it) => it.ledger().journalBytes },
  journal_bytes_max: { help: "Size at which no new run is taken.", read: (it) => it.ledger().journalBytesMax },
  journal_days_left: {
    help: "Days until the journal is full at the rate of the last day; 3650 for more, and for no growth.",
    read: (it) => Math.min(DAYS_LEFT_MAX, it.ledger().journalDaysLeft ?? DAYS_LEFT_MAX),
  },
  vendor_calls_in_flight: { help: "Requests under way to vendors.", read: (it) => sum(it.vendorCalls(), "inFlight") },
  vendor_calls_waiting: {
    help: "Requests that wait for a connection.",
    read: (it) => sum(it.vendorCalls(), "waiting"),
  },
  function_runs_under_way: { help: "Functions that run now.", read: (it) => it.functions().active },
  function_runs_waiting: { help: "Functions that wait for a process.", read: (it) => it.functions().queued },
  function_processes: {
    help: "Processes that hold isolates, spare ones included.",
    read: (it) => it.functions().children,
  },
  function_processes_apart: {
    help: "Processes that are set apart for the functions of one organization.",
    read: (it) => it.functions().apart,
  },
  function_processes_killed: {
    help: "Processes killed since the start because of what ran in them.",
    read: (it) => it.functions().killed,
  },
  held_bytes: {
    help: "Bytes of requests, replies and answers that are held in memory.",
    read: (it) => it.heldBytes(),
  },
  connections: { help: "Connections of clients that are open.", read: (it) => it.connections().open },
  connections_dropped: {
    help: "Connections of clients that were closed without an answer since the start, because all places were in use.",
    read: (it) => it.connections().dropped,
  },
  budgets_nearly_used: {
    help: "Budgets that are used beyond their warn level in their current period, as far as this process knows.",
    read: (it) => it.budgets().filter(({ budget, used }) => isNearlyUsed(budget, used)).length,
  },
  failed_logins: {
    help: "Requests to the admin API since the start whose token was unknown, expired or revoked.",
    read: (it) => it.failedLogins(),
  },
  breakers_open: { help: "Sources, by credential, that are not called for a while.", read: (it) => it.openBreakers() },
};

/** The fullest budgets, so that a deployment with very many of them does not have as many time series. */
const BUDGETS_MAX = 100;

/** Every gauge with a label, by its name on the metrics page without `datarun_`. */
export const LABELLED_GAUGES: Readonly<Record<string, LabelledGauge>> = {
  budget_used_ratio: {
    help: "How much of a budget is used or reserved in its current period, as far as this process knows; of at most 100 budgets, the fullest.",
    label: "budget",
    read: (it) =>
      it
        .budgets()
        .map((reading) => [reading.budget.id, usedRatio(reading)] as const)
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, BUDGETS_MAX),
  },
};

function usedRatio({ budget, used }: BudgetReading): number {
  return ratioForMetric(used, budget.limit);
}

function sum<Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return rows.reduce((total, row) => total + row[key], 0);
}
