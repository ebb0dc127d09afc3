import type { Clock } from "../../terms/time/clock.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import type { Availability } from "../availability.ts";
import type { Measured } from "./journal-messages.ts";
import type { LedgerLog } from "../ports.ts";

const ALARM_SHARE = 0.5;
/**
 * The alarm and the full state end a little below the level at which they begin, so that they do not alternate with
 * every run.
 */
const ALARM_OVER_SHARE = 0.45;
const FULL_OVER_SHARE = 0.95;
/** Empty tables alone take a part of this. */
const BYTES_MIN = 256 * 1024;
/** The share of the disk that stays free if the size of the journal follows the disk. */
const RESERVE_SHARE = 0.05;
const RESERVE_BYTES_MAX = 1024 ** 3;

/** The journal's part of a disk's free space if its size is not configured. */
export function journalSpaceOnDisk(diskFreeBytes: number, diskBytes: number): number {
  return Math.max(0, diskFreeBytes - Math.min(RESERVE_BYTES_MAX, diskBytes * RESERVE_SHARE));
}

/**
 * Compares the journal with its size limit: at half of it there is an alarm, and at the limit no new runs are accepted.
 * If the configured limit is 0, the limit follows the disk: the size of the journal, plus the free space less a
 * reserve.
 */
export class JournalSize {
  readonly #configured: number;
  readonly #availability: Availability;
  readonly #log: LedgerLog;
  readonly #onChange: () => void;
  readonly #growth: GrowthRate;
  #bytesMax: number;
  #bytes = 0;
  #alarm = false;

  constructor(configured: number, availability: Availability, log: LedgerLog, clock: Clock, onChange: () => void) {
    this.#configured = configured;
    this.#bytesMax = configured === 0 ? Number.MAX_SAFE_INTEGER : Math.max(configured, BYTES_MIN);
    this.#availability = availability;
    this.#log = log;
    this.#growth = new GrowthRate(clock);
    this.#onChange = onChange;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  get alarm(): boolean {
    return this.#alarm;
  }

  /** Days until the limit, at the growth rate of the last day or less; `null` while the journal does not grow. */
  get daysLeft(): number | null {
    const perDay = this.#growth.perDay();
    return perDay === null || perDay <= 0 ? null : Math.max(0, this.#bytesMax - this.#bytes) / perDay;
  }

  measured({ bytes, diskFreeBytes, diskBytes }: Measured): void {
    this.#bytes = bytes;
    this.#growth.add(bytes);
    if (this.#configured === 0) {
      this.#bytesMax = bytes + journalSpaceOnDisk(diskFreeBytes, diskBytes);
    }
    if (bytes >= this.#bytesMax) this.#availability.raise("full");
    else if (bytes < this.#bytesMax * FULL_OVER_SHARE) this.#availability.clear("full");
    if (!this.#alarm && bytes >= this.#bytesMax * ALARM_SHARE) {
      this.#log.warn({ event: "ledger_alarm", bytes, bytes_max: this.#bytesMax }, "the journal is over half full");
      this.#setAlarm(true);
    } else if (this.#alarm && bytes < this.#bytesMax * ALARM_OVER_SHARE) this.#setAlarm(false);
  }

  #setAlarm(alarm: boolean): void {
    this.#alarm = alarm;
    this.#onChange();
  }
}

const SAMPLE_EVERY_MS = 10 * 60 * 1_000;

/** The growth rate of a size, over the last day or since the start. */
class GrowthRate {
  readonly #clock: Clock;
  readonly #samples: { readonly at: number; readonly bytes: number }[] = [];
  #latest = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(bytes: number): void {
    const at = this.#clock.now();
    this.#latest = bytes;
    const last = this.#samples.at(-1);
    if (last !== undefined && at - last.at < SAMPLE_EVERY_MS) return;
    this.#samples.push({ at, bytes });
    while (at - this.#samples[0]!.at > DAY_MS) this.#samples.shift();
  }

  /** `null` until the observation is long enough. */
  perDay(): number | null {
    const first = this.#samples[0];
    if (first === undefined) return null;
    const passedMs = this.#clock.now() - first.at;
    return passedMs < SAMPLE_EVERY_MS ? null : ((this.#latest - first.bytes) * DAY_MS) / passedMs;
  }
}
