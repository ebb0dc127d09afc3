import { chargeOfCall, chargesOf, type ChargeModel } from "../terms/money/charge.ts";
import type { Clock } from "../terms/time/clock.ts";
import { asFault, Fault, type Charged } from "../terms/fault.ts";
import { byteLength, toStoredForm } from "./envelope.ts";
import type { PlannedSource } from "./call.ts";
import type { CallResult, Attempt, AttemptReport, CallReport, PlannedCall, RunSource } from "./ports.ts";

/** The end of one planned call: its result, or the fault that replaces it. */
export interface Outcome {
  readonly call: PlannedCall;
  readonly charge: ChargeModel;
  /** Whether its source can fetch the result of an order in a later call. */
  readonly resumable: boolean;
  readonly tookMs: number;
  readonly result: CallResult | Fault;
  /** The size of its output in the answer, in bytes. */
  readonly outputBytes: number;
  /** The result of the vendor if it could not be kept: it is charged nevertheless. */
  readonly discardedResult?: Pick<CallResult, "match">;
}

/** The size of `{}`, which replaces the output of a failed call. */
const NO_OUTPUT_BYTES = 2;

/**
 * Starts every planned call at once and waits for all. Never rejects: each slot of the plan gets exactly one outcome
 * under its own id, so one source's failure can neither lose nor misname another's answer.
 *
 * Together the outputs never take more than `outputBytesMax`: above it the largest fails, so that one source's huge
 * output does not fail the others. Which outputs are kept does not depend on the order in which they arrived.
 *
 * A promise in the plan is a call whose version of its source is being loaded. It must not reject.
 */
export async function fanOut(
  plan: readonly (PlannedSource | Promise<PlannedSource>)[],
  runSource: RunSource,
  clock: Clock,
  outputBytesMax: number,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let bytes = 0;

  function fill(slot: number, outcome: Outcome): void {
    outcomes[slot] = outcome;
    bytes += outcome.outputBytes;
    if (bytes > outputBytesMax) bytes = failLargest(outcomes, bytes, outputBytesMax);
  }

  await Promise.all(
    plan.map((planned, slot) => {
      const start = (ready: PlannedSource) => runCallThen(ready, runSource, clock, (outcome) => fill(slot, outcome));
      return planned instanceof Promise ? planned.then(start) : start(planned);
    }),
  );
  return outcomes;
}

/**
 * Fails the largest of the outputs so far, the first of equally large ones, until the others fit. Returns the remaining
 * bytes.
 */
function failLargest(outcomes: Outcome[], bytes: number, bytesMax: number): number {
  let totalBytes = bytes;
  while (totalBytes > bytesMax) {
    let largest: Outcome | undefined;
    // Slots without an outcome yet are holes, which `forEach` skips.
    outcomes.forEach((outcome) => {
      if (!(outcome.result instanceof Fault) && outcome.outputBytes > (largest?.outputBytes ?? 0)) largest = outcome;
    });
    if (largest === undefined) return totalBytes;
    largest.call.shrinkTo(0);
    outcomes[outcomes.indexOf(largest)] = withoutOutput(largest, new Fault("source.contract", TOO_LARGE));
    totalBytes += NO_OUTPUT_BYTES - largest.outputBytes;
  }
  return totalBytes;
}

const TOO_LARGE = { problem: "the whole answer would be too large" };

/** Runs one call and returns its outcome. */
export function runCall(planned: PlannedSource, runSource: RunSource, clock: Clock): Promise<Outcome> {
  return runCallThen(planned, runSource, clock, (outcome) => outcome);
}

/** Runs one call and resolves to the result of `made` for its outcome. */
function runCallThen<Result>(
  planned: PlannedSource,
  runSource: RunSource,
  clock: Clock,
  toResult: (outcome: Outcome) => Result,
): Promise<Result> {
  const { call, source, refused } = planned;
  const end = (result: CallResult | Fault): Result => toResult(endCall(planned, result, clock));
  const fail = (thrown: unknown): Result => end(asFault(thrown, "source.adapter_raised"));
  try {
    if (source === undefined) throw refused ?? new Fault("source.unknown", { source: call.id });
    return runSource(source, call).then(end, fail);
  } catch (thrown) {
    return Promise.resolve(fail(thrown));
  }
}

/** Ends a call, which then can send nothing more and keeps no memory except that of its output. */
export function endCall({ call, source }: PlannedSource, result: CallResult | Fault, clock: Clock): Outcome {
  call.end();
  const { charge = "free", resumable = false } = source ?? {};
  const tookMs = Math.round(clock.now() - call.startedAt);
  if (result instanceof Fault) {
    call.shrinkTo(0);
    return { call, charge, resumable, tookMs, result, outputBytes: NO_OUTPUT_BYTES };
  }
  try {
    const output = reserveOutput(call, result);
    return { call, charge, resumable, tookMs, result: output, outputBytes: call.reservedBytes };
  } catch (error) {
    call.shrinkTo(0);
    return withoutOutput(
      { call, charge, resumable, tookMs, result, outputBytes: 0 },
      asFault(error, "source.no_room_for_answer"),
    );
  }
}

/**
 * Reserves memory for the output of a call in place of the replies from which it was made. Afterwards `call.reservedBytes` is
 * the size of the output in the answer, as JSON text in UTF-8. If there is no memory for it, only this call fails.
 * @throws Fault `source.no_room_for_answer`
 */
function reserveOutput(call: PlannedCall, answer: CallResult): CallResult {
  if (!call.shrinkTo(byteLength(answer.json))) throw new Fault("source.no_room_for_answer");
  const json = toStoredForm(answer.json);
  return json === answer.json ? answer : { match: answer.match, json };
}

/** An outcome that failed with `fault` because its output could not be used. The vendor's reply is still charged. */
export function withoutOutput(outcome: Outcome, fault: Fault): Outcome {
  const { call, charge, resumable, tookMs, result } = outcome;
  const failed = { call, charge, resumable, tookMs, result: fault, outputBytes: NO_OUTPUT_BYTES };
  return result instanceof Fault ? failed : { ...failed, discardedResult: { match: result.match } };
}

/**
 * Settles the reservations of the requests of calls, which frees unused amounts. Call it after the reports are recorded:
 * if the process is killed before that, the charges are unknown.
 */
export function settleReservations(calls: readonly CallReport[]): void {
  for (const { attempts } of calls)
    for (const { reserved, charged, price } of attempts) reserved?.settle(charged, price);
}

/** The report of one call for the ledger, the log and the metrics. Later events of its requests do not change it. */
export function reportCall(outcome: Outcome): CallReport {
  const { call, result } = outcome;
  const fault = result instanceof Fault ? result : null;
  const charges = chargesOf(call.attempts, outcome.charge, outcome.discardedResult ?? result);
  return {
    source: call.id,
    sourceVersion: call.sourceVersion,
    ordinal: call.ordinal,
    success: fault === null,
    match: result instanceof Fault ? false : result.match,
    fault,
    credentialId: call.credential?.credentialId ?? null,
    credentialRule: call.credential?.rule ?? "none",
    orderId: call.order?.id ?? null,
    charged: chargeOfCall(charges),
    startedAfterMs: Math.round(call.startedAt - call.run.arrivedAt),
    tookMs: outcome.tookMs,
    outputBytes: outcome.outputBytes,
    attempts: call.attempts.map((attempt, at) => reportAttempt(attempt, charges[at]!)),
  };
}

function reportAttempt(attempt: Attempt, charged: Charged): AttemptReport {
  const { number, origin, method, sentWallAt, status, tookMs, price, reserved, spanId } = attempt;
  const report = { number, origin, method, sentWallAt, status, tookMs, charged, price, reserved };
  return spanId === undefined ? report : { ...report, spanId };
}
