import type { Reservation } from "../../run/around/ports.ts";
import { limitText, scopeText, unitsOf, usedBy } from "../../terms/budget.ts";
import { Fault, type Charged } from "../../terms/fault.ts";
import type { Micros } from "../../terms/money.ts";
import type { Price } from "../../terms/price.ts";
import type { HeldBudget, Holding } from "./held-budget.ts";
import type { LeaseNotes, Noted, UseNotes } from "./ports.ts";

/** What a request has reserved of one budget. */
export class Part {
  readonly held: HeldBudget;
  units: Micros;
  /** Where it was taken from; `null`: nothing is taken. */
  holding: Holding | null = null;
  /** How much of it has been noted, and the note. */
  noted: Micros = 0n;
  note: Noted | null = null;

  constructor(held: HeldBudget, price: Price | null) {
    this.held = held;
    this.units = unitsOf(held.budget, price);
  }

  get isCounted(): boolean {
    return this.units > 0n && !this.held.isRemoved;
  }
}

/** Takes what a request needs of all its budgets, or of none. Returns the first one without room, or `null`. */
export function takeAll(parts: readonly Part[], now: number): HeldBudget | null {
  for (const { isCounted, held, units } of parts) if (isCounted && !held.fits(now, units)) return held;
  for (const part of parts) if (part.isCounted) part.holding = part.held.take(now, part.units);
  return null;
}

/** That a budget has no room for a request, with everything that says which budget it is. */
export function budgetFault({ budget, holding }: HeldBudget): Fault {
  return new Fault("source.budget_used", {
    budget: budget.id,
    scope: scopeText(budget),
    limit: limitText(budget),
    until: holding === null ? `the end of the ${budget.per}` : untilText(holding.periodTo),
  });
}

function untilText(wallAt: number): string {
  return new Date(wallAt).toISOString().replace(":00.000Z", "Z").replace("T", " ").replace("Z", " UTC");
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

  commit(transactionId: string, request: string, price: Price | null): void {
    for (const part of this.#parts) {
      if (part.units === unitsOf(part.held.budget, price)) continue;
      this.#takeAnew(price);
      break;
    }
    for (const part of this.#parts) {
      if (part.holding === null || (part.note?.request === request && part.noted === part.units)) continue;
      const { note } = part;
      const notes = this.#note(part);
      if (note !== null) notes?.end(note, part.holding.noted);
      if (notes !== null) part.note = notes.begin(transactionId, request, part.units, part.holding.noted);
      this.#needs.changed(part.held);
    }
  }

  keep(): void {
    try {
      this.#needs.notes.keep();
    } catch (cause) {
      throw new Fault("source.unrecorded", {}, { cause });
    }
  }

  cancel(): void {
    if (this.#isOver) return;
    const wasNoted = this.#parts.some(({ note }) => note !== null);
    this.#end("no", null);
    // No journal knows of it.
    if (wasNoted) this.#keepIfPossible();
  }

  release(): void {
    if (this.#isOver) return;
    for (const part of this.#parts) {
      if (part.holding === null || part.units === 0n) continue;
      part.held.correct(part.holding, -part.units);
      part.units = 0n;
      this.#needs.changed(part.held);
    }
  }

  settle(charged: Charged, price: Price | null): void {
    if (this.#isOver) return;
    // What the journal says of a request that the notes have as under way leads to the same.
    if (this.#end(charged, price)) this.#keepIfPossible();
  }

  /** Returns whether it has used something, and not what was noted. */
  #end(charged: Charged, price: Price | null): boolean {
    this.#isOver = true;
    let isNews = false;
    for (const part of this.#parts) {
      const units = usedBy(part.held.budget, charged, price);
      // A price that became known only with the reply is counted although nothing was reserved for it.
      if (part.holding === null && units === 0n) continue;
      const isMore = units !== 0n && units !== part.noted;
      this.#settle(part, units, isMore);
      this.#needs.changed(part.held);
      isNews ||= isMore;
    }
    return isNews;
  }

  #settle(part: Part, units: Micros, isMore: boolean): void {
    const { held, holding } = part;
    if (holding === null) return held.charge(this.#needs.now(), units);
    if (held.holding !== holding && units > part.units) {
      // That lease has ended with what was reserved. What was charged beyond is counted under the next one.
      if (!held.isOfPast(holding)) held.charge(this.#needs.now(), units - part.units);
    } else if (units !== part.units) {
      held.correct(holding, units - part.units);
      part.units = units;
    }
    if (part.note !== null || isMore) this.#noteEnd(part);
  }

  #keepIfPossible(): void {
    try {
      this.#needs.notes.keep();
    } catch {
      // Until they can be written, the notes say something else: if the process is killed now, more counts as used.
    }
  }

  /** The price has changed since the room was reserved. @throws Fault if there is no room for the new one */
  #takeAnew(price: Price | null): void {
    for (const part of this.#parts) {
      if (part.holding !== null) {
        part.held.correct(part.holding, -part.units);
        part.units = 0n;
        if (part.note !== null) this.#noteEnd(part);
      }
      [part.holding, part.noted, part.units] = [null, 0n, unitsOf(part.held.budget, price)];
    }
    const now = this.#needs.now();
    const lacking = takeAll(this.#parts, now);
    if (lacking === null) return;
    // Whether the new period has room is not known here, and a request that is about to be sent cannot wait.
    throw lacking.isOver(now) ? new Fault("source.budget_unknown") : budgetFault(lacking);
  }

  /** It is settled, or was not sent. */
  #noteEnd(part: Part): void {
    const { note } = part;
    this.#note(part)?.end(note, part.holding!.noted);
  }

  /** Counts what the part has taken as noted. @returns where to note it; `null`: nowhere */
  #note(part: Part): LeaseNotes | null {
    const holding = part.holding!;
    if (part.noted !== part.units) {
      holding.noted += part.units - part.noted;
      part.noted = part.units;
    }
    part.note = null;
    return part.held.notesOf(holding);
  }
}
