import type { Clock } from "../../terms/time/clock.ts";
import type { LedgerLog } from "../ports.ts";

/**
 * The last part of the journal is for organizations that use little of it. It is larger than the growth of write-ahead
 * log, intent files and outcome log during a burst, so these alone cannot fill the journal.
 */
const LAST_PART = 0.2;
const LAST_PART_BYTES_MAX = 256 * 1024 * 1024;
/** Interval of counts of each organization's bytes in the journal. A count reads every run. */
const COUNT_EVERY_MS = 30_000;

type BytesByOrganization = Map<string, number>;

export interface JournalSharesOptions {
  readonly clock: Clock;
  readonly log: LedgerLog;
  /** Bytes of records that may not be in the journal yet. */
  pending(): BytesByOrganization;
  /** Requests a count from the journal's thread. Its result goes to `counted`. */
  requestCount(): void;
}

/**
 * Decides which organizations may not start runs while the journal is nearly full: those that use more of it than an
 * equal share. One share is left for an organization that uses nothing yet, so that a single organization cannot fill
 * the journal before others come.
 *
 * Sizes and counts arrive late, and a flood writes megabytes in between. So every record is added at once to the last
 * size and to the last count. A record takes about as much in the journal as its text.
 */
export class JournalShares {
  readonly #options: JournalSharesOptions;
  #bytes = 0;
  #bytesMax = Number.MAX_SAFE_INTEGER;
  /** Bytes of records that are not part of `#bytes`. */
  #unmeasured = 0;
  /** Bytes of each organization; `null` while the last part is far away and counting is off. */
  #bytesOf: BytesByOrganization | null = null;
  #bytesTotal = 0;
  /** Bytes added since a count was requested; `null` if no count is in progress. */
  #sinceRequest: BytesByOrganization | null = null;
  #countAt = 0;
  /** Organizations with a logged refusal. */
  readonly #logged = new Set<string>();

  constructor(options: JournalSharesOptions) {
    this.#options = options;
  }

  /** The size of the journal, without records that are still pending. */
  measured(bytes: number, bytesMax: number): void {
    this.#bytes = bytes;
    this.#bytesMax = bytesMax;
    const pending = this.#options.pending();
    this.#unmeasured = sumOf(pending);
    const bytesUntil = this.#bytesUntilWatched();
    if (bytesUntil <= 0) this.#watch(pending);
    // Only when the last part is far away again, because sizes also fall for a moment.
    else if (bytesUntil > this.#lastPart) this.#stopWatching();
  }

  /** Call it after the record has become pending. */
  add(organizationId: string, bytes: number): void {
    this.#unmeasured += bytes;
    if (this.#bytesOf !== null) {
      add(this.#bytesOf, organizationId, bytes);
      this.#bytesTotal += bytes;
      if (this.#sinceRequest !== null) add(this.#sinceRequest, organizationId, bytes);
    } else if (this.#bytesUntilWatched() <= 0) this.#watch(this.#options.pending());
  }

  counted(inJournal: Iterable<readonly [organizationId: string, bytes: number]>): void {
    if (this.#sinceRequest === null) return;
    this.#setCounts(this.#sinceRequest);
    this.#sinceRequest = null;
    for (const [organizationId, bytes] of inJournal) {
      add(this.#bytesOf!, organizationId, bytes);
      this.#bytesTotal += bytes;
    }
  }

  /** The thread has restarted, so a count in progress is lost. */
  threadStarted(): void {
    this.#sinceRequest = null;
    this.#countAt = 0;
  }

  /** Whether a new run of this organization must be refused to leave space to others. */
  isBeyondShare(organizationId: string): boolean {
    if (this.#bytesOf === null || this.#bytes + this.#unmeasured < this.#bytesMax - this.#lastPart) return false;
    const used = this.#bytesOf.get(organizationId) ?? 0;
    if (used <= this.#bytesTotal / (this.#bytesOf.size + 1)) return false;
    this.#logOnce(organizationId);
    return true;
  }

  get #lastPart(): number {
    return Math.min(this.#bytesMax * LAST_PART, LAST_PART_BYTES_MAX);
  }

  /** Counting begins some bytes before the last part, so that a count is available when it is needed. */
  #bytesUntilWatched(): number {
    return this.#bytesMax - 2 * this.#lastPart - this.#bytes - this.#unmeasured;
  }

  #watch(pending: BytesByOrganization): void {
    if (this.#bytesOf === null) this.#setCounts(new Map(pending));
    const now = this.#options.clock.now();
    if (this.#sinceRequest !== null || now < this.#countAt) return;
    this.#countAt = now + COUNT_EVERY_MS;
    this.#sinceRequest = new Map(pending);
    this.#options.requestCount();
  }

  #stopWatching(): void {
    this.#bytesOf = null;
    this.#sinceRequest = null;
    this.#countAt = 0;
    this.#logged.clear();
  }

  #setCounts(counts: BytesByOrganization): void {
    this.#bytesOf = counts;
    this.#bytesTotal = sumOf(counts);
  }

  #logOnce(organizationId: string): void {
    if (this.#logged.has(organizationId)) return;
    this.#logged.add(organizationId);
    this.#options.log.error(
      { event: "ledger_share_used", organization: organizationId },
      "the journal is nearly full, and new runs of an organization that holds much of it are refused",
    );
  }
}

function add(bytes: BytesByOrganization, organizationId: string, more: number): void {
  bytes.set(organizationId, (bytes.get(organizationId) ?? 0) + more);
}

function sumOf(bytes: BytesByOrganization): number {
  let sum = 0;
  for (const held of bytes.values()) sum += held;
  return sum;
}
