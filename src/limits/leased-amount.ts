import type { LeaseLog } from "./budgets/ports.ts";
import type { Leased } from "./lease-exchange.ts";
import type { SentBy } from "./ports.ts";
import { RecentUse } from "./recent-use.ts";

/** Assumed maximum difference in speed between clocks. The usable time of a lease is reduced by this fraction. */
const DRIFT = 0.01;
/** Interval of asks while the store does not answer. */
const RETRY_MS = 500;

/** Units granted in one window of a limit. */
export interface Granted {
  /** The lease of the units. */
  readonly lease: string;
  /** Start and end of the window, by the clock of the store. */
  readonly window: number;
  readonly windowEnd: number;
  /** The start, never too early, and the end, never too late, by the clock of this process. */
  readonly from: number;
  until: number;
  /** The most that is used until more is granted. */
  amount: bigint;
  /** Units that are spent, in use, or reserved. */
  used: bigint;
  /** The logged part of the use; `null`: nothing. */
  logged: Logged | null;
}

export interface Logged {
  readonly log: LeaseLog;
  /** The used units that are in the log, because their request was sent. */
  used: bigint;
}

/** The wanted units of a lease, beyond those that it keeps. */
export interface LeaseDemand {
  /** Units for waiting requests. */
  readonly need: bigint;
  /** Units that will probably be used soon. */
  readonly spare: bigint;
  /** Units that will probably be used at the beginning of the next window; 0 if it is too early to ask. */
  readonly ahead: bigint;
}

/**
 * A window by an answer of the store, and its times: `now` is by the store's clock, the others by this process's clock.
 */
export interface AnsweredWindow {
  readonly window: number;
  readonly windowEnd: number;
  readonly now: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/**
 * One process's lease of one limit: counts in memory, and the next ask. Callers pass the time and the store's answers;
 * the object itself has no timers. Amounts are calls, requests, or millionths of a currency.
 */
export abstract class LeasedAmount<Ask, Answer> implements Leased<Ask, Answer> {
  abstract readonly owner: string;
  protected lease: string;
  granted: Granted | null = null;
  /** The stored size of this lease in the current window. */
  protected kept = 0n;
  /** The store did not answer the last ask. */
  isUnreachable = false;
  /** Before this time, another ask would probably be granted nothing. */
  protected askAgainAt = Number.NEGATIVE_INFINITY;
  protected readonly recent: RecentUse;
  /** While the use is below this, enough is left, and `isLow` need not compute it. */
  protected lowFrom = 0n;
  /** Whether it was used more than once. Most invented limits are used once and need no units in advance. */
  #isUsed = false;
  #isUsedAgain = false;

  /**
   * @param lease a name that is unique among all leases
   * @param aheadMs units in advance cover the expected use of this time; `null` for units in use at once
   */
  constructor(lease: string, aheadMs: number | null) {
    this.lease = lease;
    this.recent = new RecentUse(aheadMs);
  }

  /** Units that other processes do not use, as far as is known here. */
  protected abstract readonly leftOver: bigint;
  /** Units for waiting requests that must be asked for although `free` units are left. */
  protected abstract needs(now: number, free: bigint): bigint;
  /** Whether the store needs a report although no more units are wanted. */
  protected abstract hasNews(now: number, keep: bigint, soon: bigint, joins: boolean): boolean;
  /** @param free leased and unused units */
  protected abstract toAsk(now: number, by: SentBy, wanted: LeaseDemand, free: bigint): Ask;
  abstract askToEnd(now: number, by: SentBy): Ask | null;
  abstract answered(answer: Answer, askedAt: number, answeredAt: number): void;
  abstract dueAt(now: number): number;

  failed(now: number): void {
    this.isUnreachable = true;
    this.askAgainAt = now + RETRY_MS;
  }

  ask(now: number, by: SentBy, joins: boolean): Ask | null {
    if (this.isUnreachable && now < this.askAgainAt) return null;
    const granted = this.at(now);
    const [amount, used] = granted === null ? [0n, 0n] : [granted.amount, granted.used];
    const free = amount - used;
    const need = this.needs(now, free);
    const soon = this.inHand(this.expected(now));
    const isLow = need > 0n || this.isLow(now, joins);
    const mayHaveSpare = isLow && this.#isUsedAgain && (granted === null || amount < this.leftOver);
    const spare = mayHaveSpare ? atLeast(0n, soon - (need > 0n ? 0n : free)) : 0n;
    const ahead = this.ahead(now);
    const keep = need + spare > 0n || granted === null ? amount : this.toKeep(now, granted, soon);
    if (need + spare + ahead === 0n && (granted === null || !this.hasNews(now, keep, soon, joins))) {
      // Checked again when much less is left.
      this.lowFrom = atLeast(this.lowFrom, used + free / 2n + 1n);
      return null;
    }
    this.lowFrom = 0n;
    // Stop using the rest now; the store may grant it to others before it answers.
    if (granted !== null) granted.amount = keep;
    return this.toAsk(now, by, { need, spare, ahead }, keep - used);
  }

  /** The units that can be taken now. */
  protected at(now: number): Granted | null {
    return this.granted !== null && now < this.granted.until ? this.granted : null;
  }

  /** Uses granted units. @param recently the number of units in use at once now, if the limit is one on those */
  protected use(now: number, granted: Granted, units: bigint, recently = Number(units)): void {
    granted.used += units;
    this.#isUsedAgain = this.#isUsed;
    this.#isUsed = true;
    this.recent.add(now, recently);
  }

  /** Whether to ask for more although no request waits. @param joins whether other limits are sending an ask anyway */
  isLow(now: number, joins = false): boolean {
    const granted = this.at(now);
    if (granted === null || now < this.askAgainAt || (!joins && granted.used < this.lowFrom)) return false;
    const [left, expected] = [granted.amount - granted.used, this.expected(now)];
    const enough = joins ? (expected * 3n + 3n) / 4n : (expected + 1n) / 2n;
    if (left < enough) return true;
    // With each used unit, `left` falls by one and `enough` rises by at most five.
    if (!joins) this.lowFrom = granted.used + (left - enough) / 8n;
    return false;
  }

  /** Units that will probably be used soon. */
  protected expected(now: number): bigint {
    const until = this.granted?.until ?? now;
    return BigInt(this.recent.expected(now, until > now ? until - now : undefined));
  }

  /** Units to keep in reserve for the expected use. */
  protected inHand(expected: bigint): bigint {
    return expected;
  }

  protected ahead(_now: number): bigint {
    return 0n;
  }

  /** Units to keep when it asks for none. */
  protected toKeep(_now: number, { amount, used }: Granted, soon: bigint): bigint {
    return amount - used > 2n * soon ? used + soon : amount;
  }

  /**
   * Replaces the granted units by an answer. @returns the new units, or `null` if the answer is about an earlier window
   */
  protected replace(answer: AnsweredWindow, amount: bigint): Granted | null {
    const { window, askedAt, answeredAt } = answer;
    const known = this.granted;
    if (known !== null && window < known.window) {
      // The answer is late if the next window has begun here meanwhile. Otherwise the clock of the store was set back.
      if (askedAt >= known.from) this.startAnew();
      return null;
    }
    this.isUnreachable = false;
    if (known?.window === window) {
      [known.until, known.amount] = [endOf(answer), amount];
      return known;
    }
    this.granted = this.toGranted(answer, answeredAt, amount);
    return this.granted;
  }

  protected toGranted(answer: AnsweredWindow, from: number, amount: bigint): Granted {
    const { window, windowEnd } = answer;
    return { lease: this.lease, window, windowEnd, from, until: endOf(answer), amount, used: 0n, logged: null };
  }

  /** Starts another lease. Units of the old one are not used any more. */
  protected startAnew(): void {
    this.lease += "'";
    this.granted = null;
    [this.kept, this.lowFrom] = [0n, 0n];
    this.askAgainAt = Number.NEGATIVE_INFINITY;
  }
}

/** A time at which a window has certainly not ended. */
function endOf({ windowEnd, now, askedAt }: AnsweredWindow): number {
  // The store's clock is read in whole milliseconds.
  return askedAt + (windowEnd - now - 1) * (1 - DRIFT);
}

/** A time of this process's clock at which a time of the store's clock has certainly been reached. */
export function latestStart(time: number, { now, answeredAt }: Pick<AnsweredWindow, "now" | "answeredAt">): number {
  return answeredAt + (time - now) * (1 + DRIFT);
}

export function atLeast(least: bigint, amount: bigint): bigint {
  return amount > least ? amount : least;
}
