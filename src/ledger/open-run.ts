import type { AttemptIntent, RunIntent, RunRecord, RunReport } from "../run/ports.ts";
import { Fault } from "../terms/fault.ts";
import type { IntentLog, Segment } from "./journal/intent-log.ts";
import { attemptIntentText, runIntentText } from "./journal/record-lines.ts";

/** A run between its start and its outcome, and the intent files that must stay until that is on disk. */
export class OpenRun implements RunRecord {
  readonly #run: RunIntent;
  readonly #intents: IntentLog;
  readonly #settle: (run: OpenRun, report: RunReport) => Promise<void> | void;
  readonly #segments: Segment[] = [];
  #closed = false;

  constructor(run: RunIntent, intents: IntentLog, settle: (run: OpenRun, report: RunReport) => Promise<void> | void) {
    this.#run = run;
    this.#intents = intents;
    this.#settle = settle;
  }

  intend(...intents: readonly AttemptIntent[]): void {
    // The outcome is written: a call after it would be on no ledger.
    if (this.#closed) throw new Fault("source.stopped");
    let text = this.#segments.length === 0 ? runIntentText(this.#run) : "";
    for (const intent of intents) text += attemptIntentText(this.#run.transactionId, intent);
    const already = this.#segments.at(-1);
    const segment = this.#intents.append(text, already);
    if (segment === null) throw new Fault("request.journal_unavailable");
    if (segment !== already) this.#segments.push(segment);
  }

  close(report: RunReport): Promise<void> | void {
    if (this.#closed) return;
    this.#closed = true;
    return this.#settle(this, report);
  }

  /** Called when the outcome is on disk. */
  release(): void {
    for (const segment of this.#segments) this.#intents.release(segment);
    this.#segments.length = 0;
  }
}
