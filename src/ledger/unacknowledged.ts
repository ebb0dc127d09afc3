import type { Clock } from "../terms/time/clock.ts";
import { FairShare } from "../terms/concurrency/fair-share.ts";

/** A record that may not be in the journal yet. */
export interface PendingRecord {
  readonly text: string;
  /** The size of the text in UTF-8. */
  readonly bytes: number;
  readonly organizationId: string;
  readonly sinceAt: number;
  /** Called once, when the record is in the journal, however late. */
  readonly onDurable: () => void;
  /** Releases the answer: when the record is on disk or, at the latest, when waiting has become pointless. */
  settle: (() => void) | null;
}

/**
 * The queue between runs and journal. Records are numbered, counted, and stored until acknowledged, so that they can be
 * sent again. Answers are released earlier, when their records are on disk in the outcome log.
 *
 * Organizations share the capacity for records, so that one cannot use it up while the journal lags. The records of
 * ended runs always count; only new runs can be refused.
 */
export class Unacknowledged {
  /** Entries before `#head` are released at once, because the array may be cut only seconds later. */
  readonly #waiting: (PendingRecord | null)[] = [];
  #head = 0;
  #headNumber = 1;
  readonly #records: FairShare;
  readonly #bytes: FairShare;
  /** The number of the last record whose answer was released. */
  #answered = 0;

  constructor(recordsMax: number, bytesMax: number) {
    this.#records = new FairShare(recordsMax, undefined, true);
    this.#bytes = new FairShare(bytesMax, undefined, true);
  }

  /** To be called before the first push. */
  numberFrom(next: number): void {
    this.#headNumber = next;
  }

  get count(): number {
    return this.#waiting.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes.inUse;
  }

  bytesByOrganization(): Map<string, number> {
    return this.#bytes.amounts();
  }

  /** Whether there is capacity for a record of this organization. */
  hasCapacityFor(organizationId: string): boolean {
    return this.#records.fits(organizationId) && this.#bytes.fits(organizationId);
  }

  get oldestAt(): number | null {
    return this.#waiting[this.#head]?.sinceAt ?? null;
  }

  /** Time at which the oldest record with a waiting answer was added. */
  get oldestUnansweredAt(): number | null {
    return this.#waiting[this.#indexAfter(this.#answered)]?.sinceAt ?? null;
  }

  get lastNumber(): number {
    return this.#headNumber + this.count - 1;
  }

  push(waiting: PendingRecord): void {
    this.#waiting.push(waiting);
    this.#records.add(waiting.organizationId);
    this.#bytes.add(waiting.organizationId, waiting.bytes);
  }

  /** Removes everything up to a number from the queue. */
  acknowledge(last: number): void {
    while (this.#headNumber <= last && this.count > 0) {
      const waiting = this.#waiting[this.#head]!;
      this.#waiting[this.#head] = null;
      this.#head += 1;
      this.#headNumber += 1;
      this.#records.give(waiting.organizationId);
      this.#bytes.give(waiting.organizationId, waiting.bytes);
      waiting.settle?.();
      waiting.onDurable();
    }
    this.#answered = Math.max(this.#answered, this.beforeHead);
    this.#compact();
  }

  /** Releases every answer up to a number; the records stay. */
  settle(last = this.lastNumber): void {
    const to = Math.min(this.#indexAfter(last), this.#waiting.length);
    for (let at = this.#indexAfter(this.#answered); at < to; at += 1) {
      const waiting = this.#waiting[at]!;
      waiting.settle?.();
      waiting.settle = null;
    }
    this.#answered = Math.max(this.#answered, last);
  }

  #indexAfter(number: number): number {
    return this.#head + Math.max(0, number + 1 - this.#headNumber);
  }

  /** The texts after a number, at most `countMax`, joined for the journal's thread. */
  join(after: number, countMax: number): { readonly records: string; readonly last: number } {
    const from = this.#indexAfter(after);
    const to = Math.min(from + countMax, this.#waiting.length);
    let records = this.#waiting[from]!.text;
    for (let at = from + 1; at < to; at += 1) records += "," + this.#waiting[at]!.text;
    return { records, last: after + (to - from) };
  }

  get beforeHead(): number {
    return this.#headNumber - 1;
  }

  #compact(): void {
    if (this.#head === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#head = 0;
    } else if (this.#head > 1024 && this.#head * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
  }
}

/** Interval of checks of the oldest record. */
const CHECK_MS = 250;
/** If a check is this late, the process was suspended: a paused container, a sleeping machine. */
const SUSPENDED_FROM_MS = 500;

/**
 * Reports when the oldest waiting record has waited too long. Time in which this process was suspended does not count,
 * because replies from that time arrive only after the first timers. Has a timer only while something may be waiting.
 */
export class StallWatch {
  readonly #clock: Clock;
  readonly #stallMs: number;
  readonly #oldestAt: () => number | null;
  readonly #onStall: () => void;
  #cancel: (() => void) | null = null;
  #suspendedMs = 0;
  #resumedAt = 0;

  constructor(clock: Clock, stallMs: number, oldestAt: () => number | null, onStall: () => void) {
    this.#clock = clock;
    this.#stallMs = stallMs;
    this.#oldestAt = oldestAt;
    this.#onStall = onStall;
  }

  /** Call it whenever an entry starts to wait. */
  watch(): void {
    if (this.#cancel !== null) return;
    const remainingMs = this.#remainingMs();
    if (remainingMs === null) return;
    const delayMs = Math.min(CHECK_MS, Math.max(1, remainingMs));
    const dueAt = this.#clock.now() + delayMs;
    this.#cancel = this.#clock.after(delayMs, () => this.#check(dueAt));
  }

  #check(dueAt: number): void {
    this.#cancel = null;
    const lateMs = this.#clock.now() - dueAt;
    if (lateMs > SUSPENDED_FROM_MS) {
      this.#suspendedMs += lateMs;
      this.#resumedAt = this.#clock.now();
    }
    const remainingMs = this.#remainingMs();
    if (remainingMs !== null && remainingMs <= 0) this.#onStall();
    else this.watch();
  }

  /** `null`: nothing waits. */
  #remainingMs(): number | null {
    const oldestAt = this.#oldestAt();
    if (oldestAt === null) return null;
    if (oldestAt >= this.#resumedAt) this.#suspendedMs = 0;
    return oldestAt + this.#stallMs + this.#suspendedMs - this.#clock.now();
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
