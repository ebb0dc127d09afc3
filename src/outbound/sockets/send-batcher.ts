import type { PendingIntents, PlannedAttempt, Run } from "../../run/ports.ts";
import type { Fault } from "../../terms/fault.ts";

/** A request whose connection is open. */
export interface Sendable {
  /**
   * Called just before the request is written. Returns the attempt that must be recorded first; `null` if the request is
   * not sent, and has failed already.
   */
  prepare(): PlannedAttempt | null;
  /** Sends the bytes of the request, after its intent has been recorded. */
  write(): void;
  /** Fails the request: its intent could not be recorded, or `prepare` or `write` threw. */
  refuse(error: Error): void;
}

/**
 * Sends requests in batches, one batch in a tick of the event loop:
 *
 * 1. The reservations of all requests are handed to the operating system in one write.
 * 2. Their intents are handed over in one write.
 * 3. The requests are written.
 *
 * A request on a reused connection is sent only after the loop has polled for I/O, so that bytes which the vendor sent
 * without a request, or a close, have been seen.
 */
export class SendBatcher {
  /** Sent in the next tick. */
  #nextBatch: Sendable[] = [];
  /** Sent in the tick after that, because the loop may have polled already before the next tick. */
  #batchAfterNext: Sendable[] = [];
  #isPlanned = false;

  add(sendable: Sendable): void {
    this.#nextBatch.push(sendable);
    this.#plan();
  }

  addAfterPoll(sendable: Sendable): void {
    this.#batchAfterNext.push(sendable);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#isPlanned = false;
    const leaving = this.#nextBatch;
    this.#nextBatch = this.#batchAfterNext;
    this.#batchAfterNext = [];
    if (this.#nextBatch.length > 0) this.#plan();
    sendBatch(leaving);
  }
}

interface BatchOfRun {
  readonly sendables: Sendable[];
  readonly attempts: PlannedAttempt[];
}

/** An exception of one request fails only that request: otherwise the others would be neither sent nor refused. */
function sendBatch(leaving: readonly Sendable[]): void {
  const byRun = new Map<Run, BatchOfRun>();
  for (const sendable of leaving) {
    const attempt = refuseOnThrow(sendable, () => sendable.prepare());
    if (attempt === null) continue;
    const ofRun = byRun.get(attempt.run);
    if (ofRun === undefined) byRun.set(attempt.run, { sendables: [sendable], attempts: [attempt] });
    else {
      ofRun.sendables.push(sendable);
      ofRun.attempts.push(attempt);
    }
  }
  const pending = [...byRun].map(([run, ofRun]) => [ofRun, intend(run, ofRun)] as const);
  for (const [{ sendables }, intents] of pending) {
    const fault = record(intents);
    for (const sendable of sendables) {
      if (fault === null) refuseOnThrow(sendable, () => sendable.write());
      else sendable.refuse(fault);
    }
  }
}

function refuseOnThrow<Result>(sendable: Sendable, work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    sendable.refuse(error as Error);
    return null;
  }
}

/** Makes the reservations of requests durable before any of their intents can be recorded. */
function intend(run: Run, { attempts }: BatchOfRun): PendingIntents {
  try {
    for (const { reserved } of attempts) reserved?.persist();
    return run.intend(attempts.map(({ intent }) => intent));
  } catch (fault) {
    return {
      record: () => {
        throw fault;
      },
    };
  }
}

/**
 * Records intents; the first call in a tick records those of all runs. Returns the fault if that failed: nothing may be
 * sent.
 */
function record(intents: PendingIntents): Fault | null {
  try {
    intents.record();
    return null;
  } catch (fault) {
    return fault as Fault;
  }
}
