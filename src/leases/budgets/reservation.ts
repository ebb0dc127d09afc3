import type { Reservation } from "../../run/around/ports.ts";
import { unitsOf, usedBy } from "../../terms/budget.ts";
import { Fault, type Charged } from "../../terms/fault.ts";
import type { Micros } from "../../terms/money.ts";
import type { Price } from "../../terms/price.ts";
import { budgetFault } from "./budget-fault.ts";
import type { HeldBudget, Holding } from "./held-budget.ts";
import type { LeaseNotes, NotedRequest, UseNotes } from "./ports.ts";

/** What a request has reserved of one budget, and of the others that apply to it. */
export class Part implements NotedRequest {
  readonly held: HeldBudget;
  readonly next: Part | null;
  units: Micros;
  /** Where it was taken from; `null`: nothing is taken. */
  holding: Holding | null = null;
  /** How much of it has been noted, and as what. */
  noted: Micros = 0n;
  transactionId = "";
  request = "";
  number = 0;
  place = 0;

  /** @param at the first of the budgets that it is about */
  constructor(own: readonly HeldBudget[], price: Price | null, at = 0) {
    this.held = own[at]!;
    this.units = unitsOf(this.held.budget, price);
    this.next = at + 1 < own.length ? new Part(own, price, at + 1) : null;
  }

  get isCounted(): boolean {
    return this.units > 0n && !this.held.isRemoved;
  }

  /** Whether it was noted, and is not settled yet. */
  get isNoted(): boolean {
    return this.number > 0;
  }
}

/** The first one and those after it. */
export function partsOf(first: Part): Part[] {
  const all: Part[] = [];
  for (let part: Part | null = first; part !== null; part = part.next) all.push(part);
  return all;
}

/** Takes what a request needs of all its budgets, or of none. Returns the first part without room, or `null`. */
export function takeAll(first: Part, now: number): Part | null {
  for (let part: Part | null = first; part !== null; part = part.next)
    if (part.isCounted && !part.held.fits(now, part.units)) return part;
  for (let part: Part | null = first; part !== null; part = part.next)
    if (part.isCounted) part.holding = part.held.take(now, part.units);
  return null;
}

export interface ReservationNeeds {
  readonly notes: UseNotes;
  readonly now: () => number;
  /** What is used of a budget has changed. */
  readonly changed: (held: HeldBudget) => void;
}

/**
 * The room that one request has in its budgets. It belongs to the period in which it was reserved. One object with its
 * first part, because there is one for every request, and most have one budget.
 */
export class HeldReservation extends Part implements Reservation {
  readonly #needs: ReservationNeeds;
  #isOver = false;

  constructor(own: readonly HeldBudget[], price: Price | null, needs: ReservationNeeds) {
    super(own, price);
    this.#needs = needs;
  }

  get first(): Part {
    return this;
  }

  commit(transactionId: string, request: string, price: Price | null): void {
    for (let part: Part | null = this.first; part !== null; part = part.next) {
      if (part.units === unitsOf(part.held.budget, price)) continue;
      this.#takeAnew(price);
      break;
    }
    for (let part: Part | null = this.first; part !== null; part = part.next) {
      if (part.holding === null || (part.isNoted && part.request === request && part.noted === part.units)) continue;
      const wasNoted = part.isNoted;
      const notes = this.#note(part);
      if (wasNoted) notes?.end(part, part.holding.noted);
      [part.transactionId, part.request] = [transactionId, request];
      notes?.begin(part, part.holding.noted);
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
    let wasNoted = false;
    for (let part: Part | null = this.first; part !== null; part = part.next) wasNoted ||= part.isNoted;
    this.#end("no", null);
    // No journal knows of it.
    if (wasNoted) this.#keepIfPossible();
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
    for (let part: Part | null = this.first; part !== null; part = part.next) {
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
    if (part.isNoted || isMore) this.#noteEnd(part);
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
    for (let part: Part | null = this.first; part !== null; part = part.next) {
      if (part.holding !== null) {
        part.held.correct(part.holding, -part.units);
        part.units = 0n;
        if (part.isNoted) this.#noteEnd(part);
      }
      [part.holding, part.noted, part.units] = [null, 0n, unitsOf(part.held.budget, price)];
    }
    const now = this.#needs.now();
    const lacking = takeAll(this, now)?.held ?? null;
    if (lacking === null) return;
    // Whether the new period has room is not known here, and a request that is about to be sent cannot wait.
    throw lacking.isOver(now) ? new Fault("source.budget_unknown") : budgetFault(lacking);
  }

  /** It is settled, or was not sent. */
  #noteEnd(part: Part): void {
    const wasNoted = part.isNoted;
    this.#note(part)?.end(wasNoted ? part : null, part.holding!.noted);
  }

  /** Counts what the part has taken as noted. @returns where to note it; `null`: nowhere any more */
  #note(part: Part): LeaseNotes | null {
    const holding = part.holding!;
    if (part.noted !== part.units) {
      holding.noted += part.units - part.noted;
      part.noted = part.units;
    }
    const notes = part.held.notesOf(holding);
    if (notes === null) part.number = 0;
    return notes;
  }
}
