import type { ChargeModel } from "./charge.ts";
import type { Micros } from "./money.ts";

/** What one billed request costs. */
export interface Price {
  readonly amount: Micros;
  /** ISO 4217. */
  readonly currency: string;
}

/** One line of a credential's prices: a price of the contract from some moment on, and above some number of calls. */
export interface PriceTerm extends Price {
  readonly fromWallAt: number;
  /** The price applies to calls beyond this many in a calendar month; 0 for the basic price. */
  readonly above: number;
  /** What the contract bills; `null`: what the source declares. */
  readonly per: ChargeModel | null;
  /** The time zone of the contract's calendar months, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/**
 * The price at a moment: of the prices that have started, the newest, and of its steps, the highest that has been
 * passed. `null` if none has started: then the list price of the source applies. The terms are in no order.
 * @param callsThisMonth how many calls were billed earlier in the calendar month
 */
export function termAt(terms: readonly PriceTerm[], wallAt: number, callsThisMonth: number): PriceTerm | null {
  let held: PriceTerm | null = null;
  for (const term of terms) {
    if (term.fromWallAt > wallAt || term.above > callsThisMonth) continue;
    const replaces =
      held === null ||
      term.fromWallAt > held.fromWallAt ||
      (term.fromWallAt === held.fromWallAt && term.above > held.above);
    if (replaces) held = term;
  }
  return held;
}

/** Whether the price at this moment depends on the number of calls. */
export function hasSteps(terms: readonly PriceTerm[]): boolean {
  return terms.some(({ above }) => above > 0);
}
