/**
 * What processes of one deployment agree on through their store: how much of each limit each of them may use.
 * Times named `…Ms` are durations. `now` and the ends of windows and periods are milliseconds since 1970 by the clock of the
 * store, which is the only clock that all processes share.
 */

/** Who sends an ask, and its number. */
export interface SentBy {
  /** Names the process, also after it has been restarted on the same data directory. */
  readonly process: string;
  /** Counts the asks of a start, so that a delayed one changes nothing after a later one. */
  readonly sequence: number;
}

/** What every ask says, whatever it is about. */
export interface AskOfLease extends SentBy {
  /** Names the lease among all leases of all processes. A start has one at a time for each limit. */
  readonly lease: string;
  /** Whether the answer has to survive a power failure. */
  readonly isDurable: boolean;
}
