import { readSettings } from "../settings/read-settings.ts";

const MIB = 1024 * 1024;

/** What the ledger may hold and how long it may wait. Only the size of the journal can be set; `docs/reference/limits.md` lists all. */
export interface LedgerLimits {
  /** Records in memory that are not yet in the journal: beyond either bound no new run is taken. */
  readonly recordsMax: number;
  readonly recordBytesMax: number;
  /**
   * Database, its write-ahead log, intent files and the log of outcomes together. At the limit no new run is taken; at half of it there is an
   * alarm. 0: as much as the disk has, but for a reserve.
   */
  readonly journalBytesMax: number;
  readonly segmentBytesMax: number;
  /** One file of the log of outcomes; there are two, and more while the journal lags. */
  readonly outcomeFileBytes: number;
  /** A file kept for bad days: it is given up when the disk is full, so that answers under way can still be recorded. */
  readonly reserveBytes: number;
  /** How long an intent may wait for its own sync; it has been with the operating system all the while. */
  readonly syncIntentsEveryMs: number;
  /** A disk that acknowledges nothing for this long counts as failed, and answers stop waiting for it. */
  readonly stallMs: number;
  /** How long `close()` waits for what is not yet on disk. */
  readonly closeMs: number;
}

export const LEDGER_LIMITS: LedgerLimits = {
  recordsMax: 10_000,
  recordBytesMax: 32 * MIB,
  journalBytesMax: readSettings().limits.journalBytes,
  segmentBytesMax: 64 * MIB,
  outcomeFileBytes: 2 * MIB,
  reserveBytes: 4 * MIB,
  syncIntentsEveryMs: 100,
  stallMs: 5_000,
  closeMs: 5_000,
};
