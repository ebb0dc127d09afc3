import type { SharedLimit } from "../run/around/ports.ts";

/**
 * What processes of one deployment agree on through their store: how much of a limit each of them may use.
 * Times named `…Ms` are durations. `now`, `window` and `endsAt` are milliseconds since 1970 by the clock of the store,
 * which is the only clock that all processes share.
 */

/** What a process holds of a window. A limit on units in use at once has one window that never ends, -1. */
export interface Held {
  readonly window: number;
  /** The process uses no more than this until it is granted more. */
  readonly amount: number;
  readonly used: number;
}

export interface LeaseAsk {
  readonly limit: SharedLimit;
  /** Names the lease among all leases of all processes. */
  readonly lease: string;
  /** Names the process, also after it has been restarted on the same data directory. */
  readonly process: string;
  /** Counts the asks of this lease, so that a delayed one changes nothing after a later one. */
  readonly turn: number;
  readonly held: readonly Held[];
  /** Calls that wait for a unit now. */
  readonly need: number;
  /** Units that will probably be used soon. */
  readonly spare: number;
  /** Units that will probably be used at the beginning of the next window; 0 if it is too early to ask. */
  readonly ahead: number;
  /** Whether the answer has to survive a power failure. */
  readonly isDurable: boolean;
}

/** What the store keeps of one lease in one window. */
export interface LeaseRow {
  readonly lease: string;
  readonly window: number;
  readonly amount: number;
  /** What its process would use if it could. */
  readonly wants: number;
  /** When it was last granted something; 0 for never. */
  readonly grewAt: number;
  readonly endsAt: number;
  /** Of the ask that was decided. */
  readonly turn: number;
}

export interface Grant extends LeaseRow {
  /** What all other leases hold. */
  readonly others: number;
  /** What this lease may hold if all that want units are to have their part. */
  readonly part: number;
  /** Whether any other lease wants some. */
  readonly hasRivals: boolean;
}

/**
 * Decides what a lease holds from now on, from what all leases of the limit hold. The current window comes first. An ask
 * that is repeated is answered as it was decided.
 */
export type GrantRule = (ask: LeaseAsk, rows: readonly LeaseRow[], now: number) => readonly Grant[];

export interface LeaseAnswer {
  readonly now: number;
  readonly grants: readonly Grant[];
}

export interface LeaseStore {
  /**
   * Decides about all asks and keeps the result, in one transaction. One answer for each ask, in order. If it rejects,
   * each ask may have been kept or not.
   */
  exchange(asks: readonly LeaseAsk[], rule: GrantRule): Promise<readonly LeaseAnswer[]>;
  /**
   * Frees the units in use at once that earlier starts of this process hold: their calls ended with them. The ids of
   * starts are in the order of the starts, and the id of a lease begins with that of its start.
   */
  freeUnits(process: string, start: string): Promise<void>;
}
