import { wireAttention, toWireAttention } from "../admin/attention/attention-wire.ts";
import type { Seen } from "../admin/attention/look-around.ts";
import { whatNeedsAPerson } from "../admin/attention/what-needs-a-person.ts";
import { listedBudget, toListedBudget } from "../admin/budget-wire.ts";
import type { BudgetUse, ServiceState } from "../admin/ports.ts";
import { count, listOf, orNull, text, time, yesOrNo } from "../admin/result-schemas.ts";
import { toWireTime } from "../admin/wire-time.ts";
import type { BudgetRejections } from "../ledger/read/budget-rejections.ts";
import type { LiveFigures } from "../operate/live-figures.ts";
import type { WindowSeries, WindowSums } from "../operate/window.ts";
import { percentUsed } from "../terms/money.ts";
import { Type } from "../terms/type.ts";

/** What the running service tells of itself at this moment. */
export interface LiveNow {
  readonly wallAt: number;
  readonly figures: LiveFigures;
  readonly runsUnderWay: number;
  readonly state: ServiceState;
  readonly warnings: readonly string[];
}

/** So many budgets are told: those that reject calls, and then the fullest. */
const BUDGETS_MAX = 50;

const percentiles = { p50_ms: orNull(count), p99_ms: orNull(count) };
const ofRuns = Type.Object({ runs: count, failed: count, simulated: count, ...percentiles });
const ofCalls = Type.Object({ calls: count, match: count, no_match: count, failed: count, ...percentiles });

const ofTimes = listOf(orNull(count));
const callsOverTime = Type.Object(
  { calls: listOf(count), failed: listOf(count) },
  { description: "In stretches of five minutes, the oldest first, and the last of them not over" },
);

/** The data of one event of `GET /api/live`. */
export const LiveEvent = Type.Object({
  at: time,
  ready: yesOrNo,
  not_ready: { ...listOf(text), description: "Why no run is accepted" },
  warnings: { ...listOf(text), description: "What will soon end that runs are accepted" },
  runs: Type.Object({
    under_way: count,
    minute: { ...ofRuns, description: "`runs` and their times without simulated ones; `failed`: with a failed call" },
    hour: ofRuns,
    last_hour: Type.Object(
      { until: time, every_ms: count, runs: listOf(count), failed: listOf(count), p50_ms: ofTimes, p99_ms: ofTimes },
      { description: "Minute by minute, the oldest first, until the end of the last minute that is over" },
    ),
  }),
  sources: {
    ...listOf(Type.Object({ source: text, minute: ofCalls, hour: ofCalls, last_hour: callsOverTime })),
    description:
      "Those that were called in the last hour, by id. Calls that named a source which does not exist or is off are counted together, as `(unknown)`",
  },
  breakers: listOf(Type.Object({ source: text, organization_tuid: text, open_ms: count })),
  ledger: Type.Object({
    unavailable: orNull(text),
    pending_runs: count,
    lag_ms: count,
    undrained_runs: count,
    journal_bytes: count,
    journal_bytes_max: count,
    journal_days_left: orNull(count),
  }),
  unknown_charges: orNull(Type.Object({ charges: count, is_more: yesOrNo, since: orNull(time) })),
  budgets: orNull(listOf(Type.Object({ ...listedBudget.properties, used_percent: count }))),
  attention: wireAttention,
  looked_at: { ...time, description: "When charges, budgets and what needs a person were looked at" },
});

export function toLiveEvent({ wallAt, figures, runsUnderWay, state, warnings }: LiveNow, seen: Seen): object {
  const { unknown } = seen.ofLedger ?? {};
  const { ledger } = state;
  const runsOf = (which: "minute" | "hour") => ({
    runs: total(figures.runs[which]),
    failed: figures.runs[which].failed,
    simulated: total(figures.simulated[which]),
    ...timesOf(figures.runs[which]),
  });
  return {
    at: toWireTime(wallAt),
    ready: state.notReady.length === 0,
    not_ready: state.notReady,
    warnings,
    runs: {
      under_way: runsUnderWay,
      minute: runsOf("minute"),
      hour: runsOf("hour"),
      last_hour: overTime(wallAt, figures.lastHour),
    },
    sources: figures.sources.map(({ source, minute, hour, lastHour: { slots } }) => ({
      source,
      minute: callsOf(minute),
      hour: callsOf(hour),
      last_hour: { calls: slots.map(total), failed: slots.map(({ failed }) => failed) },
    })),
    breakers: state.openBreakers.map(({ source, organizationId, openForMs }) => ({
      source,
      organization_tuid: organizationId,
      open_ms: Math.round(openForMs),
    })),
    ledger: {
      unavailable: ledger.unavailable,
      pending_runs: ledger.pendingRuns,
      lag_ms: Math.round(ledger.lagMs),
      undrained_runs: ledger.undrainedRuns,
      journal_bytes: ledger.journalBytes,
      journal_bytes_max: ledger.journalBytesMax,
      journal_days_left: ledger.journalDaysLeft === null ? null : Math.floor(ledger.journalDaysLeft),
    },
    unknown_charges:
      unknown === undefined
        ? null
        : { charges: unknown.charges, is_more: unknown.isMore, since: toWireTime(unknown.sinceWallAt) },
    budgets: seen.ofStore === null ? null : fullest(seen.ofStore.budgets, seen.ofLedger?.rejections ?? null),
    attention: toWireAttention(whatNeedsAPerson({ ...seen, service: state })),
    looked_at: toWireTime(seen.wallAt),
  };
}

function total({ match, no_match, failed }: WindowSums): number {
  return match + no_match + failed;
}

function overTime(wallAt: number, { everyMs, begunMsAgo, slots: all }: WindowSeries) {
  const slots = all.slice(0, -1);
  return {
    until: toWireTime(Math.round(wallAt - begunMsAgo)),
    every_ms: everyMs,
    runs: slots.map(total),
    failed: slots.map(({ failed }) => failed),
    p50_ms: slots.map(({ p50Ms }) => p50Ms),
    p99_ms: slots.map(({ p99Ms }) => p99Ms),
  };
}

function timesOf({ p50Ms, p99Ms }: WindowSums) {
  return { p50_ms: p50Ms, p99_ms: p99Ms };
}

function callsOf(sums: WindowSums) {
  const { match, no_match, failed } = sums;
  return { calls: total(sums), match, no_match, failed, ...timesOf(sums) };
}

function fullest(budgets: readonly BudgetUse[], rejections: readonly BudgetRejections[] | null): readonly object[] {
  return budgets
    .map((use) => ({ ...toListedBudget(use, rejections), used_percent: percentUsed(use.used, use.budget.limit) }))
    .toSorted((one, other) => {
      const rejecting = Number(other.rejects_since !== null) - Number(one.rejects_since !== null);
      return rejecting || other.used_percent - one.used_percent;
    })
    .slice(0, BUDGETS_MAX);
}
