import { readSettings } from "../settings/read-settings.ts";

const MIB = 1024 * 1024;

/**
 * The ledger's limits on size and time. Only the size of the journal can be set; `docs/reference/limits.md` lists all.
 */
export interface LedgerLimits {
  /** Limits on records in memory that are not yet in the journal. Beyond either of them, no new run is accepted. */
  readonly recordsMax: number;
  readonly recordBytesMax: number;
  /**
   * Limit on database, write-ahead log, intent files and outcome log together. At half of it there is an alarm; at the
   * limit no new run is accepted. 0: the whole disk, less a reserve.
   */
  readonly journalBytesMax: number;
  readonly segmentBytesMax: number;
  /** Size of one file of the outcome log. There are two files, and more while the journal lags. */
  readonly outcomeFileBytes: number;
  /** Size of the reserve file. It is deleted when the disk is full, so that runs in progress can still be recorded. */
  readonly reserveBytes: number;
  /** The longest delay before an intent is synced. The operating system has it from the beginning. */
  readonly syncIntentsEveryMs: number;
  /** A disk that confirms nothing for this long counts as failed. Answers then no longer wait for it. */
  readonly stallMs: number;
  /** How long `close()` waits for records that are not yet on disk. */
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

const FILE_BYTES_MIN = 16 * 1024;

/** The size of a log's file: smaller if the journal's own limit is small, because the files count towards it. */
export function withinJournal(fileBytes: number, { journalBytesMax }: LedgerLimits): number {
  if (journalBytesMax === 0) return fileBytes;
  return Math.max(FILE_BYTES_MIN, Math.min(fileBytes, Math.floor(journalBytesMax / 32)));
}
