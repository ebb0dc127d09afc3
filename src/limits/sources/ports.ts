import type { SharedLimit } from "../../run/middleware/ports.ts";
import type { AskOfLease } from "../ports.ts";

/** What a process holds of a window. A limit on units in use at once has one window that never ends, -1. */
export interface GrantedBefore {
  readonly window: number;
  /** The process uses no more than this until it is granted more. */
  readonly amount: number;
  readonly used: number;
}

export interface LeaseAsk extends AskOfLease {
  readonly limit: SharedLimit;
  readonly held: readonly GrantedBefore[];
  /** Calls that wait for a unit now. */
  readonly need: number;
  /** Units that will probably be used soon. */
  readonly spare: number;
  /** Units that will probably be used at the beginning of the next window; 0 if it is too early to ask. */
  readonly ahead: number;
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
  readonly sequence: number;
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
