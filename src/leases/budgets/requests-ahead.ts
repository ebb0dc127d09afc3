import type { Reservation } from "../../run/around/ports.ts";
import type { Charged } from "../../terms/fault.ts";
import type { Micros } from "../../terms/money.ts";
import type { Price } from "../../terms/price.ts";
import type { HeldBudget, Holding } from "./held-budget.ts";
import type { Noted } from "./ports.ts";
import { HeldReservation, keepNotes, Part, type ReservationNeeds } from "./reservation.ts";

/** With fewer, nothing is taken ahead. */
const REQUESTS_MIN = 4;

/** What one request has of one budget. */
interface Taken {
  readonly held: HeldBudget;
  readonly units: Micros;
  /** Where it was taken from; `null`: nothing is taken. */
  readonly holding: Holding | null;
}

/**
 * Room for further requests like one that has just been reserved, taken where its budgets have room for many more: each of
 * them then counts one number and looks at no budget. It is given back when somebody lacks it, and before the store is
 * told what is used.
 */
export class RequestsAhead {
  readonly price: Price | null;
  readonly #taken: readonly Taken[];
  #left: number;

  private constructor(taken: readonly Taken[], price: Price | null, left: number) {
    this.#taken = taken;
    this.price = price;
    this.#left = left;
    for (const { held, holding } of taken) if (holding !== null) held.ahead.add(this);
  }

  /** `null` if there is not room for many. */
  static take(parts: readonly Part[], price: Price | null, now: number): RequestsAhead | null {
    const counted = parts.filter(({ isCounted }) => isCounted);
    const requests = Math.min(...counted.map(({ held, units }) => held.aheadFor(now, units)));
    if (counted.length === 0 || requests < REQUESTS_MIN) return null;
    for (const { held, units } of counted) held.take(now, units, requests);
    return new RequestsAhead(
      parts.map(({ held, units, holding }) => ({ held, units, holding })),
      price,
      requests,
    );
  }

  get isUsedUp(): boolean {
    return this.#left === 0;
  }

  /** Whether there is room for one more. */
  take(price: Price | null, now: number): boolean {
    if (this.#left === 0 || price !== this.price) return false;
    for (const { held, holding } of this.#taken) {
      if (holding === null || held.holds(holding, now)) continue;
      this.rest();
      return false;
    }
    this.#left -= 1;
    return true;
  }

  /** Gives back what no request has. */
  rest(): void {
    for (const { held, units, holding } of this.#taken) {
      if (holding === null) continue;
      held.ahead.delete(this);
      held.giveBack(holding, units, this.#left);
    }
    this.#left = 0;
  }

  /** Notes a request that is about to be sent, in each budget. */
  note(transactionId: string, request: string): readonly (Noted | null)[] {
    return this.#taken.map(({ held, units, holding }) => {
      if (holding === null) return null;
      holding.noted += units;
      return held.notesOf(holding)?.begin(transactionId, request, units, holding.noted) ?? null;
    });
  }

  /** It has used what was taken for it. */
  noteEnd(notes: readonly (Noted | null)[], changed: ReservationNeeds["changed"]): void {
    for (let at = 0; at < notes.length; at += 1) {
      const { held, holding } = this.#taken[at]!;
      if (holding === null) continue;
      const note = notes[at]!;
      if (note !== null) held.notesOf(holding)?.end(note, holding.noted);
      // As much is used as before, so that nothing else would be done.
      if (!held.isAwake) changed(held);
    }
  }

  /** What a request has, as if it had been taken for it alone. */
  partsOf(notes: readonly (Noted | null)[] | null): Part[] {
    return this.#taken.map(({ held, units, holding }, at) => {
      const part = new Part(held, this.price);
      part.holding = holding;
      if (notes === null || holding === null) return part;
      [part.noted, part.note] = [units, notes[at]!];
      return part;
    });
  }
}

/** The room of one request that was taken ahead. Most of them cost what they were expected to. */
export class AheadReservation implements Reservation {
  readonly #ahead: RequestsAhead;
  readonly #needs: ReservationNeeds;
  /** `null` until it is committed. */
  #notes: readonly (Noted | null)[] | null = null;
  /** From the moment when it differs from the others. */
  #own: HeldReservation | null = null;
  #isOver = false;

  constructor(ahead: RequestsAhead, needs: ReservationNeeds) {
    this.#ahead = ahead;
    this.#needs = needs;
  }

  commit(transactionId: string, request: string, price: Price | null): void {
    if (this.#own === null && this.#notes === null && price === this.#ahead.price)
      this.#notes = this.#ahead.note(transactionId, request);
    else this.#alone().commit(transactionId, request, price);
  }

  keep(): void {
    keepNotes(this.#needs);
  }

  cancel(): void {
    if (!this.#isOver) this.#alone().cancel();
  }

  settleInFull(charged: Charged, price: Price | null): boolean {
    if (this.#own !== null || this.#notes === null || this.#isOver) return false;
    if (charged === "no" || price !== this.#ahead.price) return false;
    this.#isOver = true;
    this.#ahead.noteEnd(this.#notes, this.#needs.changed);
    return true;
  }

  settle(charged: Charged, price: Price | null): void {
    if (!this.#isOver && !this.settleInFull(charged, price)) this.#alone().settle(charged, price);
  }

  #alone(): HeldReservation {
    return (this.#own ??= new HeldReservation(this.#ahead.partsOf(this.#notes), this.#needs));
  }
}
