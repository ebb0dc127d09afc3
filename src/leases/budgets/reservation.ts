import type { Reservation } from "../../run/around/ports.ts";
import { unitsOf, usedBy } from "../../terms/budget.ts";
import { Fault, type Charged } from "../../terms/fault.ts";
import type { Micros } from "../../terms/money.ts";
import type { Price } from "../../terms/price.ts";
import { budgetFault } from "./budget-fault.ts";
import type { HeldBudget, Holding } from "./held-budget.ts";
import type { UseNotes } from "./ports.ts";

/** What a request has reserved of one budget. */
export class Part {
  readonly held: HeldBudget;
  units: Micros;
  /** Where it was taken from; `null`: nothing is taken. */
  holding: Holding | null = null;
  /** How much of it has been noted. */
  noted: Micros = 0n;
  /** For which request. */
  id: string | null = null;

  constructor(held: HeldBudget, price: Price | null) {
    this.held = held;
    this.units = unitsOf(held.budget, price);
  }
}

/** Takes what a request needs of all its budgets, or of none. Returns the first one without room, or `null`. */
export function takeAll(parts: readonly Part[], now: number): HeldBudget | null {
  const counted = parts.filter(({ held, units }) => units > 0n && !held.isRemoved);
  const lacking = counted.find(({ held, units }) => !held.fits(now, units));
  if (lacking !== undefined) return lacking.held;
  for (const part of counted) part.holding = part.held.take(now, part.units);
  return null;
}

export interface ReservationNeeds {
  readonly notes: UseNotes;
  readonly now: () => number;
  /** What is used of a budget has changed. */
  readonly changed: (held: HeldBudget) => void;
}

/** The room that one request has in its budgets. It belongs to the period in which it was reserved. */
export class HeldReservation implements Reservation {
  readonly #parts: readonly Part[];
  readonly #needs: ReservationNeeds;
  #isOver = false;

  constructor(parts: readonly Part[], needs: ReservationNeeds) {
    this.#parts = parts;
    this.#needs = needs;
  }

  commit(id: string, price: Price | null): void {
    const units = this.#parts.map(({ held }) => unitsOf(held.budget, price));
    if (this.#parts.some((part, at) => part.units !== units[at])) this.#takeAnew(units);
    try {
      for (const part of this.#parts) {
        // It was about to be sent before, and then was not.
        if (part.holding !== null && part.id !== null && part.id !== id) this.#note(part, null);
        part.id = id;
        if (part.holding !== null) this.#note(part, part.units);
      }
    } catch (cause) {
      throw new Fault("source.unrecorded", {}, { cause });
    }
  }

  cancel(): void {
    this.#end(() => 0n);
  }

  settle(charged: Charged, price: Price | null): void {
    this.#end(({ budget }) => usedBy(budget, charged, price));
  }

  #end(used: (held: HeldBudget) => Micros): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const part of this.#parts) {
      const units = used(part.held);
      // A price that became known only with the reply is counted although nothing was reserved for it.
      if (part.holding === null && units > 0n) [part.holding, part.units] = [part.held.holding, 0n];
      try {
        if (part.holding === null) continue;
        part.holding.used += units - part.units;
        part.units = units;
        this.#needs.changed(part.held);
        if (part.id !== null) this.#note(part, null);
      } catch {
        // The notes say more than is used: if the process is killed now, less is left than could be.
      }
    }
  }

  /** The price has changed since the room was reserved. @throws Fault if there is no room for the new one */
  #takeAnew(units: readonly Micros[]): void {
    for (const [at, part] of this.#parts.entries()) {
      if (part.holding !== null) {
        part.holding.used -= part.units;
        part.holding.noted -= part.noted;
      }
      [part.holding, part.noted, part.units] = [null, 0n, units[at]!];
    }
    const now = this.#needs.now();
    const lacking = takeAll(this.#parts, now);
    if (lacking === null) return;
    // Whether the new period has room is not known here, and a request that is about to be sent cannot wait.
    throw lacking.isOver(now) ? new Fault("source.budget_unknown") : budgetFault(lacking);
  }

  /** @param open what the request uses while it is under way; `null`: it is settled, or was not sent */
  #note(part: Part, open: Micros | null): void {
    const { held, id } = part;
    const holding = part.holding!;
    holding.noted += part.units - part.noted;
    part.noted = part.units;
    this.#needs.changed(held);
    const { periodFrom, lease, noted: used } = holding;
    // What is over need not be known. Under another lease it is still counted.
    if (held.holding !== null && held.holding.periodFrom > periodFrom) return;
    this.#needs.notes.note({ budgetId: held.budget.id, periodFrom, lease, used }, id!, open);
  }
}
