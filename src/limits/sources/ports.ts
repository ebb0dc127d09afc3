import type { SharedLimit } from "../../run/middleware/ports.ts";
import type { AskOfLease } from "../ports.ts";

/** A process's units in a window. A limit on units in use at once has one window that never ends, -1. */
export interface GrantedBefore {
  readonly window: number;
  /** The most that the process uses until it is granted more. */
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

/** The store's row of one lease in one window. */
export interface LeaseRow {
  readonly lease: string;
  readonly window: number;
  readonly amount: number;
  /** Units that its process would use if it could. */
  readonly wants: number;
  /** Time of the last grant; 0 for never. */
  readonly grewAt: number;
  readonly endsAt: number;
  /** Sequence of the last decided ask. */
  readonly sequence: number;
}

export interface Grant extends LeaseRow {
  /** The units of all other leases. */
  readonly others: number;
  /** The fair part of this lease among all that want units. */
  readonly part: number;
  /** Whether any other lease wants units. */
  readonly hasRivals: boolean;
}

/**
 * Decides the size of a lease from all leases of the limit. The current window comes first. A repeated ask gets the
 * same answer.
 */
export type GrantRule = (ask: LeaseAsk, rows: readonly LeaseRow[], now: number) => readonly Grant[];

export interface LeaseAnswer {
  readonly now: number;
  readonly grants: readonly Grant[];
}

export interface LeaseStore {
  /**
   * Decides on all asks and stores the result, in one transaction. Returns one answer per ask, in order. If it rejects,
   * each ask may or may not have been stored.
   */
  exchange(asks: readonly LeaseAsk[], rule: GrantRule): Promise<readonly LeaseAnswer[]>;
  /**
   * Frees the units in use at once of this process's earlier starts: their calls ended with them. The ids of starts
   * sort in the order of the starts, and the id of a lease begins with the id of its start.
   */
  freeUnits(process: string, start: string): Promise<void>;
}
