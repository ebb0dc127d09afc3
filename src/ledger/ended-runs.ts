import type { Clock } from "../terms/time/clock.ts";
import { settledWithin } from "../terms/time/within.ts";
import type { Availability } from "./availability.ts";
import type { JournalLink } from "./journal/journal-link.ts";
import type { MakeOutcomeFile } from "./journal/outcome-files.ts";
import { OutcomeLog } from "./journal/outcome-log.ts";
import { type LedgerLimits, withinJournal } from "./limits.ts";
import { StallWatch, Unacknowledged } from "./unacknowledged.ts";

/** The longest time that a record waits for others before it is moved from the log into the journal. */
const MOVE_EVERY_MS = 200;
/**
 * Maximum number of records in one message to the thread, which parses them together. With hundreds of records, most
 * would still be referenced at the thread's next collection of its small young generation, and be copied.
 */
const RECORDS_A_MESSAGE = 32;

export interface EndedRunsOptions {
  readonly directory: string;
  readonly firstFile: number;
  readonly makeFile: MakeOutcomeFile;
  readonly clock: Clock;
  readonly limits: LedgerLimits;
  readonly availability: Availability;
  readonly link: Pick<JournalLink, "post" | "ready">;
  /** The log cannot be written. The caller tries to open it again later. */
  readonly onLogFailed: () => void;
}

/**
 * Writes ended runs to disk: at once to the log, for which their answers wait, and later from memory to the journal. If
 * the log cannot be written, the answers wait for the journal instead.
 */
export class EndedRuns {
  readonly #options: EndedRunsOptions;
  readonly #log: OutcomeLog;
  readonly #waiting: Unacknowledged;
  /** Report when the journal or answers wait too long. */
  readonly #stalls: readonly StallWatch[];
  #sent = 0;
  #tickPlanned = false;
  #cancelMove: (() => void) | null = null;
  /** Pending `flush` calls, each until the journal has every record up to its number, in the order of numbers. */
  readonly #flushes: { readonly last: number; readonly resolve: () => void }[] = [];

  constructor(options: EndedRunsOptions) {
    this.#options = options;
    const { availability, clock, directory, firstFile, limits, makeFile } = options;
    this.#waiting = new Unacknowledged(limits.recordsMax, limits.recordBytesMax);
    this.#log = new OutcomeLog({
      directory,
      firstNumber: firstFile,
      fileBytes: withinJournal(limits.outcomeFileBytes, limits),
      makeFile,
      clock,
      onDurable: (last) => this.#waiting.settle(last),
      onFailed: (code) => this.#logFailed(code),
    });
    this.#stalls = [
      new StallWatch(
        clock,
        limits.stallMs,
        () => this.#waiting.oldestAt,
        () => availability.raise("stalled"),
      ),
      new StallWatch(
        clock,
        limits.stallMs,
        () => this.#waiting.oldestUnansweredAt,
        () => this.#answersStalled(),
      ),
    ];
  }

  /** The records that are not in the journal yet. */
  get pending(): Pick<Unacknowledged, "count" | "bytes" | "bytesByOrganization" | "oldestAt" | "hasCapacityFor"> {
    return this.#waiting;
  }

  get logBytes(): number {
    return this.#log.bytes;
  }

  openLog(): Promise<boolean> {
    return this.#log.open();
  }

  /** Resolves when the record is on disk. `onMoved` is called when it is in the journal. */
  async add(organizationId: string, text: string, onMoved: () => void): Promise<void> {
    const waiting = {
      text,
      bytes: Buffer.byteLength(text),
      organizationId,
      sinceAt: this.#options.clock.now(),
      onDurable: onMoved,
      settle: null as (() => void) | null,
    };
    this.#waiting.push(waiting);
    this.#log.append({ number: this.#waiting.lastNumber, text });
    this.#moveLater();
    for (const stall of this.#stalls) stall.watch();
    // The one exception to the promise: if the disk has failed, answers do not wait for it. The record is written later
    // if possible.
    if (this.#isUnwritable) return;
    await new Promise<void>((resolve) => (waiting.settle = resolve));
  }

  get #isUnwritable(): boolean {
    const { availability } = this.#options;
    return !this.#log.usable && (availability.has("journal") || availability.has("stalled"));
  }

  // ---- to the journal -----------------------------------------------------------------------------------------------

  /** Records in the log can wait. Other records have answers that wait for them. */
  #moveLater(): void {
    if (!this.#log.usable) this.moveSoon();
    else
      this.#cancelMove ??= this.#options.clock.after(MOVE_EVERY_MS, () => {
        this.#cancelMove = null;
        this.#move();
      });
  }

  /** At most once per tick of the event loop. */
  moveSoon(): void {
    if (this.#tickPlanned) return;
    this.#tickPlanned = true;
    setImmediate(() => {
      this.#tickPlanned = false;
      this.#move();
    });
  }

  #move(): void {
    const { link } = this.#options;
    if (!link.ready) return;
    while (this.#sent < this.#waiting.lastNumber) {
      const message = this.#waiting.join(this.#sent, RECORDS_A_MESSAGE);
      link.post(message);
      this.#sent = message.last;
    }
  }

  /** Resolves when every run that has ended so far is in the journal, or after `closeMs`. */
  async flush(): Promise<void> {
    this.#move();
    if (this.#waiting.count === 0) return;
    const last = this.#waiting.lastNumber;
    const flushed = new Promise<void>((resolve) => this.#flushes.push({ last, resolve }));
    await settledWithin(this.#options.clock, this.#options.limits.closeMs, flushed);
  }

  /** The journal's thread has started, and the log before `next` is in the journal. Sends the other records again. */
  started(next: number): void {
    if (this.#waiting.count === 0) this.#waiting.numberFrom(next);
    this.#sent = this.#waiting.beforeHead;
    this.moveSoon();
  }

  /** Every record up to `last` is on disk in the journal. */
  moved(last: number): void {
    this.#waiting.acknowledge(last);
    this.#log.release(last);
    while (this.#flushes.length > 0 && this.#flushes[0]!.last <= last) this.#flushes.shift()!.resolve();
  }

  // ---- when the disk fails -----------------------------------------------------------------------------------------

  journalFailed(): void {
    if (this.#isUnwritable) this.#waiting.settle();
  }

  /** Sends records that are not on disk to the journal at once. Their answers wait for it. */
  #logFailed(code: string): void {
    this.#options.availability.raise("outcome_log", code);
    if (this.#isUnwritable) this.#waiting.settle();
    this.moveSoon();
    this.#options.onLogFailed();
  }

  /** Neither the log nor the journal has confirmed the records, and a write to the log may never end. */
  #answersStalled(): void {
    this.#options.availability.raise("stalled");
    this.#log.abandon("ETIMEDOUT");
    this.#waiting.settle();
  }

  /** Releases every answer and stops. */
  end(): void {
    this.#waiting.settle();
    for (const stall of this.#stalls) stall.end();
    this.#cancelMove?.();
    this.#log.end(this.#waiting.count === 0);
  }
}
