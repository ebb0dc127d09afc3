import type { PlannedAttempt, Run } from "../../run/ports.ts";
import type { Fault } from "../../terms/fault.ts";

/** A request whose connection stands. */
export interface Sendable {
  /** Just before it is written: what must be on record by then. `null`: it is not sent, and whoever waits for it knows. */
  prepare(): PlannedAttempt | null;
  /** Its intent is on record: its bytes go out now. */
  write(): void;
  /** Its intent could not be recorded. */
  refuse(fault: Fault): void;
}

/**
 * The requests that leave in one turn of the event loop: their intents are handed to the operating system first, those of
 * a run in one write, and then they are written.
 *
 * One by a connection that was used before leaves only after the loop has polled: whatever the vendor sent unasked, or its
 * closing, that lies there by then has been seen.
 */
export class SendTurn {
  /** To leave in the next turn. */
  #leaving: Sendable[] = [];
  /** To leave in the turn after that. The next one may belong to the round of the loop that has polled already. */
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

type Prepared = readonly [sendable: Sendable, attempt: PlannedAttempt];

function sendTogether(leaving: readonly Sendable[]): void {
  const byRun = new Map<Run, Prepared[]>();
  for (const sendable of leaving) {
    const attempt = sendable.prepare();
    if (attempt === null) continue;
    const ofRun = byRun.get(attempt.run);
    if (ofRun === undefined) byRun.set(attempt.run, [[sendable, attempt]]);
    else ofRun.push([sendable, attempt]);
  }
  for (const [run, prepared] of byRun) {
    const fault = record(run, prepared);
    for (const [sendable] of prepared) {
      if (fault === null) sendable.write();
      else sendable.refuse(fault);
    }
  }
}

/** The fault for which none of them may be sent. */
function record(run: Run, prepared: readonly Prepared[]): Fault | null {
  try {
    run.intend(prepared.map(([, { intent }]) => intent));
    return null;
  } catch (fault) {
    return fault as Fault;
  }
}
