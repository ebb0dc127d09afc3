import type { Ledger } from "../../run/ports.ts";
import type { ToJournal } from "./journal-messages.ts";

export interface LedgerState {
  /** Why no new run is accepted, or `null`. */
  readonly unavailable: string | null;
  readonly openRuns: number;
  /** Runs that have ended and are not yet in the journal, only in the log; their bytes in memory; the oldest's age. */
  readonly pendingRecords: number;
  readonly pendingBytes: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  /** At the rate of the last day, or since the start; `null` while that is not known or the journal does not grow. */
  readonly journalDaysLeft: number | null;
  /** The journal is more than half full. */
  readonly alarm: boolean;
  /** How many times the journal's thread was restarted. */
  readonly restarts: number;
  /** How many times since the start something could not be done because the journal is damaged. */
  readonly damageMet: number;
}

export type DrainNote = NonNullable<ToJournal["drained"]>;

export interface RunningLedger extends Ledger {
  /**
   * Settles once it is known whether runs are accepted. That is soon, also on a broken disk, so that a service can
   * start, report that it is alive, and refuse runs until the disk works again. Until then `open` refuses.
   */
  readonly ready: Promise<void>;
  state(): LedgerState;
  /** Resolves when every run that has been closed so far is in the journal, or after `closeMs` if that fails. */
  flush(): Promise<void>;
  /** For the drainer of the outbox: records on disk how far it has come. If this is lost, a few runs are sent twice. */
  noteDrained(note: DrainNote): void;
  /** For the drainer of the outbox: called when something new is in the journal. Only one listener at a time. */
  onWritten(listener: () => void): void;
  /** Writes what is pending, as far as its time limit allows, and ends. Called after the last run has been closed. */
  close(): Promise<void>;
}
