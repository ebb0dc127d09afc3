import type { Lease, SharedLimit } from "../run/around/ports.ts";
import { type Holding, Holdings, latestStart } from "./holdings.ts";
import { RecentUse } from "./recent-use.ts";
import type { Grant, LeaseAnswer, LeaseAsk } from "./ports.ts";

/** The shortest time between two asks that will probably be answered with nothing. */
const ASK_AGAIN_MS = 100;
/** Leases of windows of this length or more have to survive a power failure; no machine runs the service again sooner. */
const DURABLE_FROM_MS = 5_000;
/** While the store does not answer. */
const RETRY_MS = 500;
/** A lease on units in use at once is renewed this often. */
const RENEW_MS = 1_000;
/** The next window is asked for so much before the end of this one, if that is less than a quarter of it. */
const AHEAD_MS = 250;
/** Units of a window that ends sooner are not given back. */
const GIVE_BACK_MS = 2_000;
/** How often a lease that holds something is looked at. */
const LOOK_MS = 100;
/** A window is begun with this many times what was used lately, so that nothing has to be asked for at its end. */
const RESERVE = 1.1;
/** If others ask anyway, more is asked for when less than this part of the need of the next second is left. */
const JOIN_PART = 0.75;
/** If no other process wants any, a slice has at least one of so many parts of the limit, but not more than so many units. */
const LEAST_SLICE_PART = 100;
const LEAST_SLICE_MAX = 4_096;
/** A process holds this many times as many units in use at once as it used lately. */
const GROWTH = 1.25;

/**
 * What one process holds of one limit: counts in memory, and the next ask. It is told the time and what the store
 * answers, and does nothing by itself.
 */
export class HeldLease implements Lease {
  readonly limit: SharedLimit;
  readonly owner: string;
  readonly #process: string;
  readonly #look: (lease: HeldLease) => void;
  readonly #recent: RecentUse;
  #lease: string;
  readonly #holdings: Holdings;
  /** Calls that wait for a unit now, and those that wait for one now or in the next window. */
  #waiting = 0;
  #inAll = 0;
  /** Whether it was used more than once: most credentials that somebody makes up are not, and need nothing in hand. */
  #isUsed = false;
  #isUsedAgain = false;
  /** A unit was asked for and not there. */
  #missed = false;
  /** Of the last answer about the current window: what others hold, and what this lease may hold. */
  #others = 0;
  #part: number;
  #hasRivals = false;
  /** What the store has for this lease in the current window. */
  #kept = 0;
  /** The store was told that it wants some. */
  #isWanted = false;
  #turn = 0;
  /** More is asked for if less than this is left, or from this time on. */
  #low = 0;
  #lookAt = Number.POSITIVE_INFINITY;
  #askAgainAt = Number.NEGATIVE_INFINITY;
  #renewAt = Number.POSITIVE_INFINITY;
  #away = false;
  #listener: () => void = () => {};

  /** @param look is called when there may be something to ask */
  constructor(
    limit: SharedLimit,
    id: { lease: string; process: string; owner: string },
    look: (lease: HeldLease) => void,
  ) {
    this.limit = limit;
    this.owner = id.owner;
    this.#lease = id.lease;
    this.#process = id.process;
    this.#look = look;
    this.#recent = new RecentUse(limit.everyMs);
    this.#holdings = new Holdings(limit.everyMs === null);
    this.#part = limit.max;
  }

  take(now: number, until: number): number | null {
    const holding = this.#at(now);
    if (holding === null || holding.used >= holding.amount || (this.#isAtOnce && until > holding.until)) {
      this.#missed = true;
      if (now >= this.#askAgainAt) this.#look(this);
      return null;
    }
    holding.used += 1;
    this.#isUsedAgain = this.#isUsed;
    this.#isUsed = true;
    this.#recent.add(now, this.#isAtOnce ? holding.used : 1);
    if (holding.amount - holding.used < this.#low || now >= this.#lookAt) this.#look(this);
    return holding.window;
  }

  give(window: number): void {
    const holding = this.#holdings.current;
    // A unit of an earlier window is worth nothing.
    if (holding?.window !== window) return;
    holding.used -= 1;
    if (!this.#isAtOnce) return this.#recent.undo();
    if (holding.amount <= this.#part) return;
    // Others have less than they want: the unit is for them.
    holding.amount = Math.max(this.#part, holding.used);
    this.#look(this);
  }

  want(now: number, inAll: number): void {
    const isNew = now > this.#waiting || (inAll > 0 && this.#inAll === 0);
    this.#waiting = now;
    this.#inAll = inAll;
    if (isNew) this.#look(this);
  }

  window(now: number): number | null {
    return this.#at(now)?.window ?? null;
  }

  left(): number {
    return Math.max(0, this.limit.max - this.#others);
  }

  mayGrow(now: number): boolean {
    return (
      !this.#away && (this.#at(now) === null || now >= this.#askAgainAt || this.left() > this.#holdings.current!.amount)
    );
  }

  free(now: number): number {
    const holding = this.#at(now);
    return holding === null ? 0 : Math.max(0, holding.amount - holding.used);
  }

  holds(now: number): boolean {
    return (this.#at(now)?.amount ?? 0) > 0;
  }

  get nextAt(): number {
    if (this.#isAtOnce) return Number.POSITIVE_INFINITY;
    return this.#holdings.current?.until ?? Number.NEGATIVE_INFINITY;
  }

  get away(): boolean {
    return this.#away;
  }

  onNews(listener: () => void): void {
    this.#listener = listener;
  }

  tellNews(): void {
    this.#listener();
  }

  /** When time alone may give it something to ask or to tell; `Infinity` for one that holds and wants nothing. */
  dueAt(now: number): number {
    const holding = this.#at(now);
    if (this.#waiting + this.#inAll > 0) return Math.max(now + 1, this.#servesAt(holding));
    const holds =
      holding !== null && (this.#isAtOnce ? this.#kept > 0 || this.#isWanted : holding.used < holding.amount);
    return holds || this.#holdings.next !== null ? now + LOOK_MS : Number.POSITIVE_INFINITY;
  }

  /** When calls that wait may get something. */
  #servesAt(holding: Holding | null): number {
    if (holding === null) return this.#holdings.next?.from ?? this.#askAgainAt;
    const nextAt = this.#holdings.next === null ? this.#aheadAt(holding.until) : holding.until;
    return this.#waiting > 0 ? Math.min(this.#askAgainAt, nextAt) : nextAt;
  }

  /**
   * What to ask the store now; `null` if there is nothing to ask.
   * @param joins whether others ask anyway, so that it asks a little earlier than it had to
   */
  ask(now: number, joins = false): LeaseAsk | null {
    if (this.#away && now < this.#askAgainAt) return null;
    const holding = this.#at(now);
    // It waits for a window of which it holds something already.
    if (holding === null && this.#holdings.next !== null) return null;
    const [amount, used] = holding === null ? [0, 0] : [holding.amount, holding.used];
    const free = amount - used - this.#waiting;
    const mayAsk = now >= this.#askAgainAt;
    const need = mayAsk ? Math.max(0, -free, this.#missed && free <= 0 ? 1 : 0) : 0;
    const expected = this.#expected(now, used);
    const soon = this.#inHand(expected);
    const low = joins && this.#isCheap ? JOIN_PART * expected : this.#lowOf(amount, expected);
    const isLow = mayAsk && free < low && (holding === null || amount < this.left());
    const spare = isLow && this.#isUsedAgain ? Math.max(0, soon - Math.max(0, free)) : 0;
    const ahead = this.#isNearEnd(now) ? this.#forNext(now) : 0;
    const keep = need + spare > 0 ? amount : this.#toKeep(now, soon);
    const isNews = keep < this.#kept || (this.#isAtOnce && this.#isWanted && used + this.#waiting + soon === 0);
    const renews = now >= this.#renewAt - (joins ? RENEW_MS / 2 : 0);
    if (need + spare + ahead === 0 && !isNews && !renews) {
      // It is looked at again when much less is left.
      this.#low = Math.min(this.#low, Math.floor(free / 2));
      return null;
    }
    return this.#askFor(now, keep, { need, spare, ahead });
  }

  /** Gives back whatever is not in use. */
  askToEnd(now: number): LeaseAsk | null {
    const holding = this.#at(now);
    if (holding === null && this.#holdings.next === null) return null;
    this.#holdings.next = null;
    return this.#askFor(now, holding?.used ?? 0, { need: 0, spare: 0, ahead: 0 });
  }

  #askFor(now: number, keep: number, wanted: Pick<LeaseAsk, "need" | "spare" | "ahead">): LeaseAsk {
    this.#turn += 1;
    this.#missed = false;
    this.#low = 0;
    this.#lookAt = Number.POSITIVE_INFINITY;
    const holding = this.#at(now);
    // From now on: the store may let others have the rest before this process hears of it.
    if (holding !== null) holding.amount = Math.min(holding.amount, keep);
    const isDurable = (this.limit.everyMs ?? 0) >= DURABLE_FROM_MS;
    return {
      limit: this.limit,
      lease: this.#lease,
      process: this.#process,
      turn: this.#turn,
      held: this.#holdings.toHeld(),
      ...wanted,
      isDurable,
    };
  }

  /** @param askedAt, answeredAt by the clock of this process; in between, the store looked at its own */
  answered(answer: LeaseAnswer, askedAt: number, answeredAt: number): void {
    const misfit = this.#holdings.put(answer, askedAt, answeredAt);
    if (misfit === "set back") this.#startAnew();
    if (misfit !== null) return;
    this.#away = false;
    const [grant] = answer.grants as readonly [Grant];
    const holding = this.#holdings.current!;
    [this.#kept, this.#others, this.#part] = [grant.amount, grant.others, grant.part];
    this.#hasRivals = grant.hasRivals;
    this.#isWanted = grant.wants > 0;
    if (this.#isAtOnce) holding.amount = Math.min(grant.amount, Math.max(holding.used, grant.part));
    this.#renewAt = this.#isAtOnce && grant.amount > 0 ? answeredAt + RENEW_MS : Number.POSITIVE_INFINITY;
    this.#lookAgain(answeredAt, grant.amount >= grant.wants);
    // So near its end that nothing can be said about the window any more.
    if (holding.until <= answeredAt) this.#askAgainAt = latestStart(grant.endsAt, answer.now, answeredAt);
  }

  failed(now: number): void {
    this.#away = true;
    this.#askAgainAt = now + RETRY_MS;
  }

  /**
   * More cannot be had at once if this answer did not bring what was asked for.
   * @param gotAll whether it did: calls that have come since may need more, which the store may have
   */
  #lookAgain(now: number, gotAll: boolean): void {
    const { amount, used, until } = this.#holdings.current!;
    const isShort = amount - used < Math.max(1, this.#waiting);
    const isAll = amount >= this.limit.max && !this.#hasRivals;
    this.#askAgainAt = now;
    if (isShort && isAll) this.#askAgainAt = this.#waitsUntil(until);
    else if (isShort && !gotAll) this.#askAgainAt = now + ASK_AGAIN_MS;
    if (amount < this.#kept || (isShort && this.#waiting > 0)) this.#look(this);
    this.#low = isShort ? 0 : this.#lowOf(amount, this.#expected(now, used));
    this.#lookAt = this.#holdings.next === null ? this.#aheadAt(until) : Number.POSITIVE_INFINITY;
  }

  /** The clock of the store was set back: what was granted under its former time is not touched again. */
  #startAnew(): void {
    this.#lease += "'";
    this.#holdings.clear();
    this.#kept = 0;
    this.#askAgainAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether it limits the units that are in use at once, as opposed to those of a window. */
  get #isAtOnce(): boolean {
    return this.limit.everyMs === null;
  }

  /** What can be taken from now. */
  #at(now: number): Holding | null {
    const before = this.#holdings.current;
    const holding = this.#holdings.at(now);
    if (this.#holdings.current !== before) {
      // A new window has begun.
      this.#kept = this.#holdings.current!.amount;
      this.#others = 0;
      this.#lookAgain(now, false);
      this.#askAgainAt = now;
    }
    return holding;
  }

  /** The units that will probably be used soon, beyond those in use. */
  #expected(now: number, used: number): number {
    if (this.#isAtOnce) return Math.max(0, Math.ceil(this.#recent.expected(now) * GROWTH) - used);
    const until = this.#holdings.current?.until ?? now;
    return this.#recent.expected(now, until > now ? until - now : undefined);
  }

  /** The units to have in hand where so many are expected to be used. */
  #inHand(expected: number): number {
    return this.#hasRivals || expected === 0 ? expected : Math.max(this.#leastSlice, expected);
  }

  /** The units with which the next window is begun. */
  #forNext(now: number): number {
    const expected = Math.ceil(this.#recent.expected(now) * RESERVE);
    return this.#inAll + this.#inHand(expected);
  }

  /** A part of a high limit that is so small that it can be in hand for whatever comes, if nobody else wants it. */
  get #leastSlice(): number {
    return Math.min(LEAST_SLICE_MAX, Math.floor(this.limit.max / LEAST_SLICE_PART));
  }

  /** If less than this is free, more is asked for. */
  #lowOf(amount: number, expected: number): number {
    return Math.max(1, Math.ceil(this.#isAtOnce ? amount / 10 : expected / 2));
  }

  /** Whether the store need not have it on its disk. */
  get #isCheap(): boolean {
    return this.limit.everyMs !== null && this.limit.everyMs < DURABLE_FROM_MS;
  }

  #aheadAt(until: number): number {
    const { everyMs } = this.limit;
    return everyMs === null ? Number.POSITIVE_INFINITY : until - Math.min(AHEAD_MS, everyMs / 4);
  }

  /** When asking may help again, if it holds all there is and nobody else wants any. */
  #waitsUntil(until: number): number {
    if (this.#isAtOnce) return this.#renewAt;
    return this.#holdings.next === null ? this.#aheadAt(until) : until;
  }

  #isNearEnd(now: number): boolean {
    return (
      this.#holdings.current !== null &&
      this.#holdings.next === null &&
      now >= this.#aheadAt(this.#holdings.current.until)
    );
  }

  /** How much of what it holds it goes on holding, if it wants no more. */
  #toKeep(now: number, soon: number): number {
    const holding = this.#at(now);
    if (holding === null) return 0;
    const { amount, used, until } = holding;
    const isMuch = this.#isAtOnce
      ? amount > 1.5 * (used + soon)
      : until - now >= GIVE_BACK_MS && amount - used > 2 * soon;
    return isMuch ? used + soon : amount;
  }
}
