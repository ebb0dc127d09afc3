/**
 * The agreement of a deployment's processes, through their store, on each process's part of each limit. Times named
 * `…Ms` are durations. `now` and the ends of windows and periods are milliseconds since 1970 by the clock of the store,
 * which is the only clock that all processes share.
 */

/** The sender of an ask, and its number. */
export interface SentBy {
  /** Names the process, also after a restart on the same data directory. */
  readonly process: string;
  /** Counts the asks of a start, so that a delayed ask changes nothing after a later one. */
  readonly sequence: number;
}

/** The fields of every ask. */
export interface AskOfLease extends SentBy {
  /** Unique name among all leases of all processes. A start has one lease at a time for each limit. */
  readonly lease: string;
  /** Whether the answer has to survive a power failure. */
  readonly isDurable: boolean;
}
