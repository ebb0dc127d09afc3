import type { CallReport, RunObserver, RunReport } from "../run/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { type OutcomeLabel, failureLabelOf } from "../terms/counted-end.ts";
import { FAULTS, type Charged, type Fault, type FaultKind, type FaultRow } from "../terms/fault.ts";
import type { Micros } from "../terms/money/money.ts";
import type { Price } from "../terms/money/price.ts";
import { HOUR_MS, MINUTE_MS } from "../terms/time/durations.ts";
import { Window } from "./window.ts";

/** Upper bounds of the buckets for durations, in seconds. One more bucket holds longer durations. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];

export interface Times {
  readonly buckets: Float64Array;
  sumMs: number;
}

const REFUSALS_MS = 5 * MINUTE_MS;
/** Refusals that are not caused by the caller. */
const OWN_REFUSALS: readonly FaultKind[] = ["overloaded", "unavailable", "internal"];

/** Events of the last minute and hour. */
export interface Lately {
  readonly minute: Window;
  readonly hour: Window;
}

interface SourceCounts {
  readonly outcomes: Map<string, number>;
  readonly charged: Map<string, number>;
  /** Calls that were not made, because no credential matches them. */
  noCredential: number;
  /** By currency and charge, separated by `|`. */
  readonly spent: Map<string, Micros>;
  readonly times: Times;
  readonly lately: Lately;
}

/** Counts since the start. Keys of runs have two parts, separated by `|`. */
export interface MetricCounts {
  /** The start of counting, by the monotonic clock. */
  readonly startedAt: number;
  readonly runs: Map<string, number>;
  readonly refusals: Map<string, number>;
  readonly runTimes: Times;
  /**
   * Live runs by outcome. A run counts as `failed` if one of its calls or its function failed; as `rejected` if none
   * failed and one was rejected for any reason; otherwise as `match`.
   */
  readonly runsLately: Lately;
  readonly simulatedLately: Lately;
  /** For the last five minutes, by kind of fault. */
  readonly refusalsLately: ReadonlyMap<string, Window>;
  readonly sources: Map<string, SourceCounts>;
}

export interface Counting extends RunObserver {
  readonly counts: MetricCounts;
  refused(path: string, fault: Fault): void;
}

/**
 * Counts runs and their calls. The number of labels is bounded: they are ids of existing sources and kinds of the fault
 * table.
 */
export function createCounting(isSource: (id: string) => boolean, clock: Clock): Counting {
  const counts: MetricCounts = {
    startedAt: clock.now(),
    runs: new Map(),
    refusals: noRefusals(),
    runTimes: noTimes(),
    sources: new Map(),
    runsLately: { minute: new Window(MINUTE_MS, 12), hour: new Window(HOUR_MS, 60) },
    simulatedLately: nothingLately(),
    refusalsLately: new Map(OWN_REFUSALS.map((kind) => [kind, new Window(REFUSALS_MS, 10)])),
  };

  function countsOf(id: string): SourceCounts {
    const known = isSource(id) ? id : "(unknown)";
    let own = counts.sources.get(known);
    if (own === undefined) {
      own = {
        outcomes: new Map(),
        charged: new Map(),
        noCredential: 0,
        spent: new Map(),
        times: noTimes(),
        lately: nothingLately(),
      };
      counts.sources.set(known, own);
    }
    return own;
  }

  return {
    counts,
    refused(_path, fault) {
      add(counts.refusals, fault.row.kind);
      counts.refusalsLately.get(fault.row.kind)?.add(clock.now(), "failed", 0);
    },

    runEnded(report) {
      // Simulated outcomes and durations would misrepresent the vendors.
      const now = clock.now();
      if (report.simulated) {
        note(counts.simulatedLately, now, "match", report.tookMs);
        return add(counts.runs, `${report.kind}|simulated`);
      }
      const end = endOfRun(report);
      const outcome = end === "match" ? "ok" : "with_failures";
      add(counts.runs, `${report.kind}|${report.clientGone ? "client_gone" : outcome}`);
      const runMs = isRunTimed(report, end) ? report.tookMs : null;
      if (runMs !== null) observe(counts.runTimes, runMs);
      note(counts.runsLately, now, end, runMs);
      for (const call of report.calls) {
        const own = countsOf(call.source);
        const { outcomes, charged, spent, times, lately } = own;
        add(outcomes, call.fault === null ? (call.match ? "match" : "no_match") : call.fault.row.kind);
        for (const attempt of call.attempts) {
          add(charged, attempt.charged);
          if (attempt.price !== null && attempt.charged !== "no") spend(spent, attempt.charged, attempt.price);
        }
        const tookMs = isCallTimed(call) ? call.tookMs : null;
        if (tookMs !== null) observe(times, tookMs);
        const callEnd = endOfCall(call);
        if (callEnd === "no_credential") own.noCredential += 1;
        note(lately, now, callEnd, tookMs);
      }
    },
  };
}

function endOfCall({ fault, match }: CallReport): OutcomeLabel {
  if (fault !== null) return failureLabelOf(fault.code);
  return match ? "match" : "no_match";
}

/**
 * A rejected call takes no time and would make a vendor look fast. A source that computes its answer sends no request.
 */
function isCallTimed({ attempts, success }: CallReport): boolean {
  return attempts.length > 0 || success;
}

function endOfRun({ functionFault, calls }: RunReport): OutcomeLabel {
  if (functionFault != null && failureLabelOf(functionFault) === "failed") return "failed";
  let end: OutcomeLabel = functionFault == null ? "match" : "rejected";
  for (const call of calls) {
    if (call.success) continue;
    if (call.fault === null || failureLabelOf(call.fault.code) === "failed") return "failed";
    end = "rejected";
  }
  return end;
}

/** A run with only rejected calls is as fast as a rejection. */
function isRunTimed({ functionFault, calls }: RunReport, end: OutcomeLabel): boolean {
  if (functionFault != null) return end === "failed";
  return end === "match" || calls.some(isCallTimed);
}

/**
 * All counters exist from the start: a rule over the increase of a counter misses the first event if the counter
 * appears with it.
 */
function noRefusals(): Map<string, number> {
  return new Map(
    Object.values<FaultRow>(FAULTS)
      .filter(({ surface }) => surface === "request")
      .map(({ kind }) => [kind, 0]),
  );
}

function noTimes(): Times {
  return { buckets: new Float64Array(SECONDS.length + 1), sumMs: 0 };
}

function nothingLately(): Lately {
  return { minute: new Window(MINUTE_MS, 12), hour: new Window(HOUR_MS, 12) };
}

function note({ minute, hour }: Lately, now: number, end: OutcomeLabel, tookMs: number | null): void {
  minute.add(now, end, tookMs);
  hour.add(now, end, tookMs);
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function spend(spent: Map<string, Micros>, charged: Charged, { amount, currency }: Price): void {
  const key = `${currency}|${charged}`;
  spent.set(key, (spent.get(key) ?? 0n) + amount);
}

function observe(times: Times, tookMs: number): void {
  let at = 0;
  while (at < SECONDS.length && tookMs > SECONDS[at]! * 1000) at += 1;
  times.buckets[at]! += 1;
  times.sumMs += tookMs;
}
