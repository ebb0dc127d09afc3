import type { Availability } from "./availability.ts";
import type { LedgerLog } from "./ports.ts";

const ALARM_SHARE = 0.5;
/** A little below where each began, so that neither comes and goes with every run. */
const ALARM_OVER_SHARE = 0.45;
const FULL_OVER_SHARE = 0.95;

/** Watches how much of its configured size the journal has taken: an alarm at half of it, no new runs at all of it. */
export class JournalSize {
  readonly bytesMax: number;
  readonly #availability: Availability;
  readonly #log: LedgerLog;
  readonly #onChange: () => void;
  #bytes = 0;
  #alarm = false;

  constructor(bytesMax: number, availability: Availability, log: LedgerLog, onChange: () => void) {
    this.bytesMax = bytesMax;
    this.#availability = availability;
    this.#log = log;
    this.#onChange = onChange;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get alarm(): boolean {
    return this.#alarm;
  }

  measured(bytes: number): void {
    this.#bytes = bytes;
    if (bytes >= this.bytesMax) this.#availability.raise("full");
    else if (bytes < this.bytesMax * FULL_OVER_SHARE) this.#availability.clear("full");
    if (!this.#alarm && bytes >= this.bytesMax * ALARM_SHARE) {
      this.#log.warn({ event: "ledger_alarm", bytes, bytes_max: this.bytesMax }, "the journal is over half full");
      this.#setAlarm(true);
    } else if (this.#alarm && bytes < this.bytesMax * ALARM_OVER_SHARE) this.#setAlarm(false);
  }

  #setAlarm(alarm: boolean): void {
    this.#alarm = alarm;
    this.#onChange();
  }
}
