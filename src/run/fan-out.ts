import { chargeOfCall, chargesOf, type ChargeModel } from "../terms/charge.ts";
import type { Clock } from "../terms/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import { Stretch } from "../terms/stretch.ts";
import { byteLength, toKept } from "./envelope.ts";
import type { Planned } from "./call.ts";
import type { Answer, CallReport, PlannedCall, RunSource } from "./ports.ts";

/** How one planned call ended: an answer, or the fault that stands in its place. */
export interface Outcome {
  readonly call: PlannedCall;
  readonly charge: ChargeModel;
  readonly tookMs: number;
  readonly result: Answer | Fault;
  /** What its output takes in the answer. */
  readonly outputBytes: number;
  /** What the vendor had answered, where that could not be kept: it is charged all the same. */
  readonly lost?: Pick<Answer, "match">;
}

/** Of `{}`, which stands in the place of what failed. */
const NO_OUTPUT_BYTES = 2;

/**
 * Starts every planned call at once and waits for all. Never rejects: each slot of the plan gets exactly one outcome
 * under its own id, so one source's failure can neither lose nor misname another's answer.
 *
 * The outputs take at most `outputBytesMax` together, at every moment: beyond it the largest fails, so that one source's
 * flood costs none of the others. Which ones are left does not depend on the order in which they came.
 */
export async function fanOut(
  plan: readonly Planned[],
  runSource: RunSource,
  clock: Clock,
  outputBytesMax: number,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let bytes = 0;

  async function fill(planned: Planned, slot: number): Promise<void> {
    const outcome = await settle(planned, runSource, clock);
    outcomes[slot] = outcome;
    bytes += outcome.outputBytes;
    if (bytes > outputBytesMax) bytes = failLargest(outcomes, bytes, outputBytesMax);
  }

  const filled: Promise<void>[] = [];
  // Inputs are filtered and checked as a call is started.
  const stretch = new Stretch(clock);
  for (const [slot, planned] of plan.entries()) {
    if (stretch.isLong) await stretch.end();
    filled.push(fill(planned, slot));
  }
  await Promise.all(filled);
  return outcomes;
}

/** Fails the largest of the outputs that are there until the rest fits; of several as large the first. Gives what is left. */
export function failLargest(outcomes: Outcome[], bytes: number, bytesMax: number): number {
  let left = bytes;
  while (left > bytesMax) {
    let largest: Outcome | undefined;
    // Those that have not come yet are holes.
    outcomes.forEach((outcome) => {
      if (!(outcome.result instanceof Fault) && outcome.outputBytes > (largest?.outputBytes ?? 0)) largest = outcome;
    });
    if (largest === undefined) return left;
    largest.call.keepOnly(0);
    outcomes[outcomes.indexOf(largest)] = withoutOutput(largest, new Fault("source.contract", TOO_LARGE));
    left += NO_OUTPUT_BYTES - largest.outputBytes;
  }
  return left;
}

const TOO_LARGE = { problem: "the whole answer would be too large" };

/** One call to its outcome. */
export async function settle(planned: Planned, runSource: RunSource, clock: Clock): Promise<Outcome> {
  const { call, source } = planned;
  let result: Answer | Fault;
  try {
    if (source === undefined) throw new Fault("source.unknown", { source: call.id });
    result = await runSource(source, call);
  } catch (thrown) {
    result = asFault(thrown, "source.adapter_raised");
  }
  return endWith(planned, result, clock);
}

/** Ends a call: from now on it can send nothing more, and holds nothing but its output. */
export function endWith({ call, source }: Planned, result: Answer | Fault, clock: Clock): Outcome {
  call.end();
  const charge = source?.charge ?? "free";
  const tookMs = Math.round(clock.now() - call.startedAt);
  if (result instanceof Fault) {
    call.keepOnly(0);
    return { call, charge, tookMs, result, outputBytes: NO_OUTPUT_BYTES };
  }
  try {
    const kept = keepOutput(call, result);
    return { call, charge, tookMs, result: kept, outputBytes: call.heldBytes };
  } catch (noRoom) {
    call.keepOnly(0);
    return withoutOutput(
      { call, charge, tookMs, result, outputBytes: 0 },
      asFault(noRoom, "source.no_room_for_answer"),
    );
  }
}

/**
 * Counts a call's output in the place of the replies that it was made of: `call.heldBytes` is what it takes in the answer
 * then, as JSON text in UTF-8. No room for it costs this call alone.
 * @throws Fault `source.no_room_for_answer`
 */
function keepOutput(call: PlannedCall, answer: Answer): Answer {
  if (!call.keepOnly(byteLength(answer.json))) throw new Fault("source.no_room_for_answer");
  const json = toKept(answer.json);
  return json === answer.json ? answer : { match: answer.match, json };
}

/** The same outcome, failed by what has become of its output here: what the vendor did counts as before. */
export function withoutOutput(outcome: Outcome, fault: Fault): Outcome {
  const { call, charge, tookMs, result } = outcome;
  const failed = { call, charge, tookMs, result: fault, outputBytes: NO_OUTPUT_BYTES };
  return result instanceof Fault ? failed : { ...failed, lost: { match: result.match } };
}

/** What the ledger, the log and the metrics are told of one call. Whatever its requests still do changes nothing of it. */
export function reportCall(outcome: Outcome): CallReport {
  const { call, result } = outcome;
  const fault = result instanceof Fault ? result : null;
  const charges = chargesOf(call.attempts, outcome.charge, outcome.lost ?? result);
  return {
    source: call.id,
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
    attempts: call.attempts.map(({ number, origin, method, sentWallAt, status, tookMs }, at) => ({
      number,
      origin,
      method,
      sentWallAt,
      status,
      tookMs,
      charged: charges[at]!,
    })),
  };
}
