import type { PendingIntents, PlannedAttempt, Run } from "../../run/ports.ts";
import type { Fault } from "../../terms/fault.ts";

/** A request whose connection is open. */
export interface Sendable {
  /**
   * Called just before the request is written. Returns what must be recorded first; `null` if it is not sent, and its
   * caller has been told.
   */
  prepare(): PlannedAttempt | null;
  /** Its intent has been recorded: sends its bytes. */
  write(): void;
  /** Its intent could not be recorded, or preparing or sending it has failed. */
  refuse(error: Error): void;
}

/**
 * The requests that are sent in one turn of the event loop. First what they have reserved and their intents are handed
 * to the operating system, with one write each for all of them, and then the requests are written.
 *
 * A request on a reused connection is sent only after the loop has polled. So anything that the vendor had sent unasked
 * by then, or a close, has been seen.
 */
export class SendTurn {
  /** Sent in the next turn. */
  #leaving: Sendable[] = [];
  /** Sent in the turn after that, because the next turn may belong to a round of the loop that has already polled. */
  #following: Sendable[] = [];
  #isPlanned = false;

  add(sendable: Sendable): void {
    this.#leaving.push(sendable);
    this.#plan();
  }

  addAfterPoll(sendable: Sendable): void {
    this.#following.push(sendable);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#isPlanned = false;
    const leaving = this.#leaving;
    this.#leaving = this.#following;
    this.#following = [];
    if (this.#leaving.length > 0) this.#plan();
    sendTogether(leaving);
  }
}

interface OfOneRun {
  readonly sendables: Sendable[];
  readonly attempts: PlannedAttempt[];
}

/** Whatever one of them throws is its own failure: nobody else would ever send or refuse the others. */
function sendTogether(leaving: readonly Sendable[]): void {
  const byRun = new Map<Run, OfOneRun>();
  for (const sendable of leaving) {
    const attempt = unlessItThrows(sendable, () => sendable.prepare());
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
      if (fault === null) unlessItThrows(sendable, () => sendable.write());
      else sendable.refuse(fault);
    }
  }
}

function unlessItThrows<Result>(sendable: Sendable, work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    sendable.refuse(error as Error);
    return null;
  }
}

/** What requests have reserved is kept before any intent of theirs can be recorded. */
function intend(run: Run, { attempts }: OfOneRun): PendingIntents {
  try {
    for (const { reserved } of attempts) reserved?.keep();
    return run.intend(attempts.map(({ intent }) => intent));
  } catch (fault) {
    return {
      record: () => {
        throw fault;
      },
    };
  }
}

/** The first run of a turn records the intents of all. Returns the fault if that failed; then nothing may be sent. */
function record(intents: PendingIntents): Fault | null {
  try {
    intents.record();
    return null;
  } catch (fault) {
    return fault as Fault;
  }
}
