import type { Ledger } from "../../run/ports.ts";
import type { ToJournal } from "./journal-messages.ts";

export interface LedgerState {
  /** Why no new run is accepted, or `null`. */
  readonly unavailable: string | null;
  readonly openRuns: number;
  /** Ended runs that are only in the log and not yet in the journal; their bytes in memory; the age of the oldest. */
  readonly pendingRecords: number;
  readonly pendingBytes: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  /** At the rate of the last day, or since the start; `null` while the rate is unknown or the journal does not grow. */
  readonly journalDaysLeft: number | null;
  /** The journal is more than half full. */
  readonly alarm: boolean;
  /** How many times the journal's thread was restarted. */
  readonly restarts: number;
  /** The number of operations since the start that failed because the journal is damaged. */
  readonly damageMet: number;
}

export type DrainRecord = NonNullable<ToJournal["drained"]>;

export interface RunningLedger extends Ledger {
  /**
   * Settles once the ledger knows whether it accepts runs. That is soon, also on a broken disk, so that a service can
   * start, report that it is alive, and refuse runs until the disk works again. Until then `open` refuses.
   */
  readonly ready: Promise<void>;
  state(): LedgerState;
  /** Resolves when every closed run is in the journal, or after `closeMs` if that fails. */
  flush(): Promise<void>;
  /** For the drainer: records its position on disk. If the record is lost, a few runs are sent twice. */
  recordDrained(note: DrainRecord): void;
  /** For the drainer: called when the journal has new runs. Only one listener at a time. */
  onWritten(listener: () => void): void;
  /** Writes pending records, as far as its time limit allows, and stops. Call it after the last run has been closed. */
  close(): Promise<void>;
}
