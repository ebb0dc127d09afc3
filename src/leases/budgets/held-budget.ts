import { type Budget, hasRoom, warnFrom } from "../../terms/budget.ts";
import type { Micros } from "../../terms/money.ts";
import { LEFT_AFTER_MS } from "./keep-leases.ts";
import { RecentSpending } from "./recent-spending.ts";
import type { BudgetAnswer, BudgetAsk, LeaseNotes, UseNotes, Wanted } from "./ports.ts";

/** Clocks are believed to differ in speed by less than this: a lease is used for that much less than it was given for. */
const DRIFT = 0.01;
/** The shortest time between two asks that will probably be answered with nothing. */
const ASK_AGAIN_MS = 250;
/** While the store does not answer. */
const RETRY_MS = 500;
/** What was not used for so long is given back. */
const IDLE_MS = 2_000;

/** What one process holds of a budget in one period. */
export interface Holding {
  /** When the period began, by the store's clock. */
  readonly periodFrom: number;
  readonly periodTo: number;
  readonly lease: string;
  /** By the clock of this process. */
  until: number;
  amount: Micros;
  /** Spent, or reserved for requests that are under way or about to be sent. */
  used: Micros;
  /** Of that: what has been noted, because its request was sent. */
  noted: Micros;
  /** `null` as long as nothing was. */
  notes: LeaseNotes | null;
}

/** What requests that wait for the store need. */
export interface Waiting {
  readonly units: Micros;
  readonly smallest: Micros;
}

const NOTHING_KNOWN = -1n;
const NOTHING_WANTED: Wanted = { need: 0n, least: 1n, spare: 0n };

export const NOBODY_WAITS: Waiting = { units: 0n, smallest: 0n };

/**
 * What one process holds of one budget: counts in memory, and the next ask. It is told the time and what the store
 * answers, and does nothing by itself.
 */
export class HeldBudget {
  #budget: Budget;
  readonly #notes: UseNotes;
  /** What other processes have used, as of the last answer. */
  #othersUsed = 0n;
  /** The budget is nearly used once this process alone has used so much. */
  #warnFrom = 0n;
  /** It has been removed: nothing is counted any more. */
  isRemoved = false;
  /** Its lease has ended in the store, which does not count yet all that was used under it. */
  isEnding = false;
  #holding: Holding | null = null;
  /** What was charged and is in no lease: it is added to the next one. */
  #owed = 0n;
  #lease: string;
  readonly #recent = new RecentSpending();
  #lastUnits = 1n;
  #lastUsedAt = Number.NEGATIVE_INFINITY;
  /** Nothing is asked for in advance before this time. */
  #spareAgainAt = Number.NEGATIVE_INFINITY;
  /** While less than this is used, enough is left, and `isLow` need not work it out. */
  #lowFrom = 0n;
  /** Until then, asking would not bring room for this many units. */
  #shortUntil = Number.NEGATIVE_INFINITY;
  #shortOf = 0n;
  #isAway = false;
  #isChanged = false;
  /** What the store was told last. */
  #toldAmount = 0n;
  #toldUsed = 0n;
  /** Something was taken since, even if as much was freed. */
  #isTaken = false;
  /** When the store was last asked for what is held here. */
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param lease a name that no other has had */
  constructor(budget: Budget, lease: string, notes: UseNotes) {
    this.#budget = budget;
    this.#lease = lease;
    this.#notes = notes;
    this.#know(budget, 0n);
  }

  #know(budget: Budget, othersUsed: Micros): void {
    [this.#budget, this.#othersUsed] = [budget, othersUsed];
    this.#warnFrom = warnFrom(budget) - othersUsed;
  }

  get budget(): Budget {
    return this.#budget;
  }

  /** By all processes together, as far as is known here. */
  get used(): Micros {
    return this.#othersUsed + (this.#holding?.used ?? 0n);
  }

  /** Whether it is used beyond its warn level, by all processes together. */
  get isNearlyUsed(): boolean {
    return this.#holding !== null && this.#holding.used >= this.#warnFrom;
  }

  get holding(): Holding | null {
    return this.#holding;
  }

  /** The store did not answer the last time, and it is too early to ask again. */
  isAway(now: number): boolean {
    return this.#isAway && now < this.#shortUntil;
  }

  /** Whether it is useless to ask for them now. In a new period it is useful again. */
  isKnownShort(now: number, units: Micros): boolean {
    return now < this.#shortUntil && units >= this.#shortOf && !this.isOver(now);
  }

  /** Nothing can be taken from what is held here, because its period may have ended: the store has to be asked. */
  isOver(now: number): boolean {
    return this.#at(now) === null;
  }

  /** Its limit may have been changed: whatever is held beyond what is used may be too much. */
  renew(budget: Budget): void {
    if (budget.limit !== this.#budget.limit) [this.#isChanged, this.#shortUntil] = [true, Number.NEGATIVE_INFINITY];
    this.#know(budget, this.#othersUsed);
  }

  fits(now: number, units: Micros): boolean {
    const holding = this.#at(now);
    return holding !== null && hasRoom(holding.used, units, holding.amount);
  }

  /** The units of a request. To be called only if they fit. */
  take(now: number, units: Micros): Holding {
    const holding = this.#at(now)!;
    holding.used += units;
    this.#isTaken = true;
    this.#recent.add(now, units);
    this.#lastUnits = units;
    this.#lastUsedAt = now;
    return holding;
  }

  /** A request has used more than it had taken, or less: then `more` is negative. */
  correct(holding: Holding, more: Micros): void {
    holding.used += more;
    if (more < 0n) this.#lowFrom += more;
  }

  /** More was charged than is held here. It is counted even where there is no room for it. */
  charge(now: number, units: Micros): void {
    const holding = this.#holding;
    if (holding === null || now >= holding.until) {
      this.#owed += units;
      return;
    }
    holding.used += units;
    holding.noted += units;
    this.notesOf(holding)?.end(null, holding.noted);
  }

  /** Whether something was charged that is in no lease: the store has to be asked for one. */
  get owes(): boolean {
    return this.#owed > 0n;
  }

  /** `null` if its period is over: that need not be noted. A lease of this period that was replaced still is. */
  notesOf(holding: Holding): LeaseNotes | null {
    const { periodFrom, lease } = holding;
    if (this.isOfPast(holding)) return null;
    return (holding.notes ??= this.#notes.of({ budgetId: this.#budget.id, periodFrom, lease }));
  }

  isOfPast({ periodFrom }: Holding): boolean {
    return this.#holding !== null && this.#holding.periodFrom > periodFrom;
  }

  /** Whether more should be asked for, although nobody waits. */
  isLow(now: number): boolean {
    const holding = this.#at(now);
    if (holding === null || holding.used < this.#lowFrom || now < this.#spareAgainAt) return false;
    const [left, enough] = [holding.amount - holding.used, this.#recent.soon(now) / 2n];
    if (left < enough) return true;
    // With each unit that is taken, `left` falls by one and `enough` rises by two and a half at most.
    this.#lowFrom = holding.used + (left - enough) / 4n;
    return false;
  }

  /** Whether it holds something that the store does not know, or that may have to be given back. */
  isLive(now: number): boolean {
    const holding = this.#at(now);
    if (this.isEnding || this.owes) return true;
    if (holding === null) return false;
    return this.#isChanged || this.#isTaken || holding.used !== this.#toldUsed || holding.amount !== holding.used;
  }

  /** What to ask the store for now; `null` if nothing. */
  ask(now: number, { process, turn }: Pick<BudgetAsk, "process" | "turn">, waiting: Waiting): BudgetAsk | null {
    if (this.#isLeft(now)) this.#startAnew();
    const holding = this.#holding;
    if (this.isEnding) return this.#told({ process, turn, wanted: NOTHING_WANTED, ends: true, hasEnded: true });
    const isOver = this.isOver(now);
    // More was charged than had been reserved: the store must count it, even where there is no room for it.
    if (holding !== null && holding.used > holding.amount) holding.amount = holding.used;
    const free = holding === null || isOver ? 0n : holding.amount - holding.used;
    const wanted = waiting.units + this.#owed;
    const need = wanted > free ? wanted - free : 0n;
    const least = waiting.smallest > free ? waiting.smallest - free : this.#lastUnits;
    const isLow = need > 0n || this.isLow(now);
    const spare = isLow ? this.#recent.soon(now) : 0n;
    if (holding !== null) {
      const gives = this.#isChanged || (!isLow && now - this.#lastUsedAt >= IDLE_MS);
      // From now on: the store may let others have the rest before this process hears of it.
      if (gives) [holding.amount, this.#lowFrom] = [holding.used, 0n];
      // Notes from before are not believed once the store has heard of it: they may be about other requests.
      const isNews = this.#isTaken || holding.used !== this.#toldUsed || holding.amount !== this.#toldAmount;
      if (!isLow && (isOver || !isNews)) return null;
    } else if (need === 0n) return null;
    this.#isChanged = false;
    return this.#told({
      process,
      turn,
      wanted: { need, least: least > 0n ? least : 1n, spare },
      ends: false,
      hasEnded: false,
    });
  }

  /** Gives back whatever is not in use. */
  askToEnd(now: number, ask: Pick<BudgetAsk, "process" | "turn">): BudgetAsk | null {
    const holding = this.#holding;
    if (holding === null || this.#isLeft(now)) return null;
    holding.amount = holding.used;
    return this.#told({ ...ask, wanted: NOTHING_WANTED, ends: true, hasEnded: this.isEnding });
  }

  /** The store may forget the lease soon, or has: what it holds stays counted, and is not told again. */
  #isLeft(now: number): boolean {
    return this.#holding !== null && now - this.#askedAt >= LEFT_AFTER_MS;
  }

  #told(ask: Pick<BudgetAsk, "process" | "turn" | "wanted" | "ends" | "hasEnded">): BudgetAsk {
    const holding = this.#holding;
    const [amount, used] = [holding?.amount ?? 0n, holding?.used ?? 0n];
    const { need, spare } = ask.wanted;
    const isMore = amount > this.#toldAmount || this.#toldUsed === NOTHING_KNOWN;
    [this.#toldAmount, this.#toldUsed, this.#isTaken] = [amount, used, false];
    return {
      ...ask,
      budgetId: this.#budget.id,
      lease: this.#lease,
      periodFrom: holding?.periodFrom ?? null,
      keep: amount,
      used,
      isDurable: need + spare > 0n || ask.hasEnded || isMore,
    };
  }

  /** @param askedAt, now by the clock of this process; in between, the store looked at its own */
  answered(answer: BudgetAnswer, askedAt: number, now: number, waiting: Waiting): void {
    this.#isAway = false;
    if (answer.budget === null) {
      this.isRemoved = true;
      this.isEnding = false;
      this.#owed = 0n;
      return;
    }
    this.#know(answer.budget, this.#othersUsed);
    const { period, amount } = answer;
    const known = this.#holding;
    if (known !== null && period.from < known.periodFrom) return this.#startAnew();
    if (answer.counted !== null) return this.#hasEnded(answer.counted, period.from);
    this.isEnding = false;
    this.#askedAt = askedAt;
    this.#know(answer.budget, answer.othersUsed);
    // Never too late: the store's clock is read in whole milliseconds.
    const until = askedAt + (period.to - answer.now - 1) * (1 - DRIFT);
    if (known === null || period.from > known.periodFrom) {
      const { from: periodFrom, to: periodTo } = period;
      this.#holding = { periodFrom, periodTo, lease: this.#lease, until, amount, used: 0n, noted: 0n, notes: null };
      this.#toldUsed = 0n;
    } else [known.until, known.amount] = [until, amount];
    [this.#toldAmount, this.#lowFrom] = [amount, 0n];
    if (this.owes) this.#pay(now);
    const { used } = this.#holding!;
    if (this.isLow(now)) this.#spareAgainAt = now + ASK_AGAIN_MS;
    if (waiting.units === 0n || hasRoom(used, waiting.smallest, amount)) return;
    [this.#shortUntil, this.#shortOf] = [now + ASK_AGAIN_MS, waiting.smallest];
  }

  #pay(now: number): void {
    const owed = this.#owed;
    this.#owed = 0n;
    this.charge(now, owed);
  }

  failed(now: number): void {
    this.#isAway = true;
    [this.#shortUntil, this.#shortOf] = [now + RETRY_MS, 0n];
    this.#spareAgainAt = this.#shortUntil;
    // It may have granted what nobody here knows of, so it is told again.
    this.#toldUsed = NOTHING_KNOWN;
  }

  /** Another start of the same process has ended it. What was used beyond what that start knew is told first. */
  #hasEnded(counted: Micros, periodFrom: number): void {
    const holding = this.#holding;
    this.isEnding = holding !== null && holding.periodFrom === periodFrom && holding.used > counted;
    if (!this.isEnding) this.#startAnew();
  }

  /**
   * With another lease. What is held under this one is not touched again: it has ended, or the clock of the store was set
   * back.
   */
  #startAnew(): void {
    this.#lease += "'";
    this.isEnding = false;
    this.#holding = null;
    this.#shortUntil = Number.NEGATIVE_INFINITY;
  }

  /** What can be taken from now. */
  #at(now: number): Holding | null {
    return this.#holding !== null && !this.isEnding && now < this.#holding.until ? this.#holding : null;
  }
}
