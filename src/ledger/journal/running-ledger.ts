import type { Ledger } from "../../run/ports.ts";
import type { ToJournal } from "./journal-messages.ts";

export interface LedgerState {
  /** Why no new run is taken, or `null`. */
  readonly unavailable: string | null;
  readonly openRuns: number;
  /** Runs that have ended and are not in the journal yet, but in the log alone; their size in memory, and the age of the oldest. */
  readonly pendingRecords: number;
  readonly pendingBytes: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  /** At the rate of the last day, or since the start; `null` while that is not known or it does not grow. */
  readonly journalDaysLeft: number | null;
  /** The journal is over half full. */
  readonly alarm: boolean;
  /** How often the journal's thread had to be started again. */
  readonly restarts: number;
  /** How often since the start its thread could not go on with something because the journal is damaged. */
  readonly damageMet: number;
}

export type DrainNote = NonNullable<ToJournal["drained"]>;

export interface RunningLedger extends Ledger {
  /**
   * Settles once it is known whether runs are taken: at once on a sound disk, and on any other too, so that a service can
   * start, say that it is alive, and refuse runs until the disk is back. Before that `open` refuses.
   */
  readonly ready: Promise<void>;
  state(): LedgerState;
  /** Resolves when every run that has been closed by now is in the journal, or after `closeMs` when that is not to be. */
  flush(): Promise<void>;
  /** For the drainer of the outbox: notes on disk how far it has come. Losing a note means draining a little twice. */
  noteDrained(note: DrainNote): void;
  /** For the drainer of the outbox: called when something new is in the journal. One listener at a time. */
  onWritten(listener: () => void): void;
  /** Writes what is pending, as far as it can within its limit, and ends. Called after the last run has been closed. */
  close(): Promise<void>;
}
