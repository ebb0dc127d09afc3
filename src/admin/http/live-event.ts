import { wireAttention, toWireAttention, findAttention } from "../attention/find-attention.ts";
import {
  type DeploymentObservation,
  type LedgerObservation,
  type ObservationNeeds,
  observeDeployment,
} from "../attention/observe-deployment.ts";
import { listedBudget, toListedBudget } from "../budget-wire.ts";
import type { BudgetUse, ServiceState } from "../ports.ts";
import { count, failedCounts, listOf, orNull, rowsOf, text, time, toWireTime, yesOrNo } from "../result-schemas.ts";
import type { LiveFigures } from "../../operate/live-figures.ts";
import type { WindowSeries, WindowSums } from "../../operate/window.ts";
import { OUTCOME_LABELS } from "../../terms/counted-end.ts";
import { percentUsed } from "../../terms/money/money.ts";
import { Type } from "../../terms/schema/type.ts";

/** The figures of the running service at this moment. */
export interface LiveNow {
  readonly wallAt: number;
  readonly figures: LiveFigures;
  readonly activeRuns: number;
  readonly state: ServiceState;
  readonly warnings: readonly string[];
}

/** The most budgets in an event: first those that reject calls, then the fullest. */
const BUDGETS_MAX = 50;

const percentiles = { p50_ms: orNull(count), p99_ms: orNull(count) };
const ofRuns = Type.Object({ runs: count, failed: count, rejected: count, simulated: count, ...percentiles });
const ofCalls = Type.Object({
  calls: count,
  match: count,
  no_match: count,
  ...failedCounts,
  ...percentiles,
});

/** `null` before the process started. */
const overTime = listOf(orNull(count));
const callsOverTime = Type.Object(
  { calls: overTime, failed: overTime },
  {
    description:
      "One value for each five minutes, the oldest first; the last interval is not over. `null` for intervals before the process started. `failed` does not include rejected calls",
  },
);

/** The data of one event of `GET /api/live`. */
export const LiveEvent = Type.Object({
  at: time,
  started_at: {
    ...time,
    description:
      "When the process started. All figures of runs, sources and breakers are those of this process since then",
  },
  ready: yesOrNo,
  not_ready: { ...listOf(text), description: "Why no run is accepted" },
  warnings: { ...listOf(text), description: "Conditions that will soon stop the service from accepting runs" },
  runs: Type.Object({
    under_way: count,
    minute: {
      ...ofRuns,
      description:
        "`runs` and their times without simulated ones; `failed`: with a call or a function that failed; `rejected`: without one, but with a rejected call. Times are those of runs that sent a request, or had none to send",
    },
    hour: ofRuns,
    last_hour: Type.Object(
      {
        until: time,
        every_ms: count,
        runs: overTime,
        failed: overTime,
        rejected: overTime,
        p50_ms: overTime,
        p99_ms: overTime,
      },
      {
        description:
          "One value for each minute, the oldest first, up to the last complete minute; `null` for minutes before the process started",
      },
    ),
  }),
  sources: {
    ...rowsOf({ source: text, minute: ofCalls, hour: ofCalls, last_hour: callsOverTime }),
    description:
      "Those that were called in the last hour, by id. Calls that named a source which does not exist or is off are counted together, as `(unknown)`",
  },
  breakers: rowsOf({ source: text, organization_tuid: text, open_ms: count }),
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
  budgets: orNull(rowsOf({ ...listedBudget.properties, used_percent: count })),
  attention: wireAttention,
  looked_at: { ...time, description: "When charges, budgets and items that need attention were read" },
});

/** The figures of store and ledger change slowly, so they are cached between events. */
const OBSERVE_EVERY_MS = 5_000;

/** Returns a function that makes the next event. */
export function createLiveEvents(now: () => LiveNow, needs: ObservationNeeds): () => Promise<object> {
  const { clock } = needs;
  let observation: DeploymentObservation | undefined;
  let observedAt = 0;
  return async () => {
    if (observation === undefined || clock.now() - observedAt >= OBSERVE_EVERY_MS) {
      observedAt = clock.now();
      observation = await observeDeployment(needs, observation);
    }
    return toLiveEvent(now(), observation);
  };
}

function toLiveEvent(
  { wallAt, figures, activeRuns, state, warnings }: LiveNow,
  observation: DeploymentObservation,
): object {
  const { unknown } = observation.ofLedger ?? {};
  const { ledger } = state;
  const runsOf = (which: "minute" | "hour") => ({
    runs: total(figures.runs[which]),
    failed: figures.runs[which].failed,
    rejected: rejectedIn(figures.runs[which]),
    simulated: total(figures.simulated[which]),
    ...timesOf(figures.runs[which]),
  });
  return {
    at: toWireTime(wallAt),
    started_at: toWireTime(Math.round(wallAt - figures.startedMsAgo)),
    ready: state.notReady.length === 0,
    not_ready: state.notReady,
    warnings,
    runs: {
      under_way: activeRuns,
      minute: runsOf("minute"),
      hour: runsOf("hour"),
      last_hour: runsOverTime(wallAt, figures),
    },
    sources: figures.sources.map(({ source, minute, hour, lastHour }) => ({
      source,
      minute: callsOf(minute),
      hour: callsOf(hour),
      last_hour: {
        calls: sinceStart(lastHour, figures, total),
        failed: sinceStart(lastHour, figures, ({ failed }) => failed),
      },
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
    budgets:
      observation.ofStore === null
        ? null
        : fullest(observation.ofStore.budgets, observation.ofLedger?.rejections ?? null),
    attention: toWireAttention(findAttention({ ...observation, service: state })),
    looked_at: toWireTime(observation.wallAt),
  };
}

function total(sums: WindowSums): number {
  return OUTCOME_LABELS.reduce((sum, end) => sum + sums[end], 0);
}

function rejectedIn({ rejected, no_credential }: WindowSums): number {
  return rejected + no_credential;
}

function runsOverTime(wallAt: number, figures: LiveFigures) {
  const { lastHour } = figures;
  const whole = (read: (sums: WindowSums) => number | null) => sinceStart(lastHour, figures, read).slice(0, -1);
  return {
    until: toWireTime(Math.round(wallAt - lastHour.begunMsAgo)),
    every_ms: lastHour.everyMs,
    runs: whole(total),
    failed: whole(({ failed }) => failed),
    rejected: whole(rejectedIn),
    p50_ms: whole(({ p50Ms }) => p50Ms),
    p99_ms: whole(({ p99Ms }) => p99Ms),
  };
}

/** One value for each interval; `null` for intervals that ended before the process started. */
function sinceStart(
  { everyMs, begunMsAgo, slots }: WindowSeries,
  { startedMsAgo }: LiveFigures,
  read: (sums: WindowSums) => number | null,
): (number | null)[] {
  return slots.map((sums, at) => {
    const endedMsAgo = begunMsAgo + everyMs * (slots.length - 2 - at);
    return endedMsAgo >= startedMsAgo ? null : read(sums);
  });
}

function timesOf({ p50Ms, p99Ms }: WindowSums) {
  return { p50_ms: p50Ms, p99_ms: p99Ms };
}

function callsOf(sums: WindowSums) {
  const { match, no_match, failed, rejected, no_credential } = sums;
  return { calls: total(sums), match, no_match, failed, rejected, no_credential, ...timesOf(sums) };
}

function fullest(budgets: readonly BudgetUse[], rejections: LedgerObservation["rejections"] | null): readonly object[] {
  return budgets
    .map((use) => ({ ...toListedBudget(use, rejections), used_percent: percentUsed(use.used, use.budget.limit) }))
    .toSorted((one, other) => {
      const rejecting = Number(other.rejects_since !== null) - Number(one.rejects_since !== null);
      return rejecting || other.used_percent - one.used_percent;
    })
    .slice(0, BUDGETS_MAX);
}
