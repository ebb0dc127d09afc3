import type { LeaseLog } from "./budgets/ports.ts";
import type { Leased } from "./exchange.ts";
import type { SentBy } from "./ports.ts";
import { RecentUse } from "./recent-use.ts";

/** Clocks are believed to differ in speed by less than this: a lease is used for that much less than it was given for. */
const DRIFT = 0.01;
/** While the store does not answer. */
const RETRY_MS = 500;

/** What was granted in one window of a limit. */
export interface Granted {
  /** The lease that it belongs to. */
  readonly lease: string;
  /** When its window begins and ends by the clock of the store. */
  readonly window: number;
  readonly windowEnd: number;
  /** The same by the clock of this process, never too early and never too late. */
  readonly from: number;
  until: number;
  /** No more than this is used until more is granted. */
  amount: bigint;
  /** Spent, in use, or reserved. */
  used: bigint;
  /** What the usage log has of it; `null`: nothing. */
  logged: Logged | null;
}

export interface Logged {
  readonly log: LeaseLog;
  /** Of what is used: what is in the log, because its request was sent. */
  used: bigint;
}

/** What a lease asks for, beyond what it goes on holding. */
export interface LeaseDemand {
  /** For what waits now. */
  readonly need: bigint;
  /** What will probably be used soon. */
  readonly spare: bigint;
  /** What will probably be used at the beginning of the next window; 0 if it is too early to ask. */
  readonly ahead: bigint;
}

/** A window as the store has answered, and when: `now` is by its clock, the others are by that of this process. */
export interface AnsweredWindow {
  readonly window: number;
  readonly windowEnd: number;
  readonly now: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/**
 * What one process holds of one limit: counts in memory, and the next ask. It is told the time and what the store
 * answers, and does nothing by itself. Amounts are calls, requests, or millionths of a currency.
 */
export abstract class LeasedAmount<Ask, Answer> implements Leased<Ask, Answer> {
  abstract readonly owner: string;
  protected lease: string;
  granted: Granted | null = null;
  /** What the store has for this lease in the current window. */
  protected kept = 0n;
  /** The store did not answer the last time. */
  isUnreachable = false;
  /** Asking for more will probably bring nothing before this time. */
  protected askAgainAt = Number.NEGATIVE_INFINITY;
  protected readonly recent: RecentUse;
  /** While less than this is used, enough is left, and `isLow` need not work it out. */
  protected lowFrom = 0n;
  /** Whether it was used more than once: most limits that somebody makes up are not, and need nothing in advance. */
  #isUsed = false;
  #isUsedAgain = false;

  /**
   * @param lease a name that no other has had
   * @param aheadMs for so long it has in hand what it uses; `null` for units in use at once
   */
  constructor(lease: string, aheadMs: number | null) {
    this.lease = lease;
    this.recent = new RecentUse(aheadMs);
  }

  /** What is not used by others, as far as is known here. */
  protected abstract readonly leftOver: bigint;
  /** What waits for the store, and is to be asked for although so much is free. */
  protected abstract needs(now: number, free: bigint): bigint;
  /** Whether the store has to hear of it although nothing more is wanted. */
  protected abstract hasNews(now: number, keep: bigint, soon: bigint, joins: boolean): boolean;
  /** @param free what is held and not used */
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
      // It is looked at again when much less is left.
      this.lowFrom = atLeast(this.lowFrom, used + free / 2n + 1n);
      return null;
    }
    this.lowFrom = 0n;
    // From now on: the store may let others have the rest before this process hears of it.
    if (granted !== null) granted.amount = keep;
    return this.toAsk(now, by, { need, spare, ahead }, keep - used);
  }

  /** What can be taken from now. */
  protected at(now: number): Granted | null {
    return this.granted !== null && now < this.granted.until ? this.granted : null;
  }

  /** Units of what is granted are used from now on. @param recently the same, or how many are in use at once now */
  protected use(now: number, granted: Granted, units: bigint, recently: number): void {
    granted.used += units;
    this.#isUsedAgain = this.#isUsed;
    this.#isUsed = true;
    this.recent.add(now, recently);
  }

  /** Whether more should be asked for, although nothing waits. @param joins whether others ask anyway */
  isLow(now: number, joins = false): boolean {
    const granted = this.at(now);
    if (granted === null || now < this.askAgainAt || (!joins && granted.used < this.lowFrom)) return false;
    const [left, expected] = [granted.amount - granted.used, this.expected(now)];
    const enough = joins ? (expected * 3n + 3n) / 4n : (expected + 1n) / 2n;
    if (left < enough) return true;
    // With each unit that is used, `left` falls by one and `enough` rises by five at most.
    if (!joins) this.lowFrom = granted.used + (left - enough) / 8n;
    return false;
  }

  /** What will probably be used soon. */
  protected expected(now: number): bigint {
    const until = this.granted?.until ?? now;
    return BigInt(this.recent.expected(now, until > now ? until - now : undefined));
  }

  /** What to have in hand where so much is expected to be used. */
  protected inHand(expected: bigint): bigint {
    return expected;
  }

  protected ahead(_now: number): bigint {
    return 0n;
  }

  /** How much of what it holds it goes on holding, if it wants no more. */
  protected toKeep(_now: number, { amount, used }: Granted, soon: bigint): bigint {
    return amount - used > 2n * soon ? used + soon : amount;
  }

  /** Puts an answer in place of what was granted before. @returns whether it is about what is held here */
  protected replace(answer: AnsweredWindow, amount: bigint): Granted | null {
    const { window, askedAt, answeredAt } = answer;
    const known = this.granted;
    if (known !== null && window < known.window) {
      // Late, if the next window has begun here while it was on its way. Otherwise the clock of the store was set back.
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

  /** With another lease. What was granted under this one is not touched again. */
  protected startAnew(): void {
    this.lease += "'";
    this.granted = null;
    [this.kept, this.lowFrom] = [0n, 0n];
    this.askAgainAt = Number.NEGATIVE_INFINITY;
  }
}

/** When a window has surely not ended. */
function endOf({ windowEnd, now, askedAt }: AnsweredWindow): number {
  // The store's clock is read in whole milliseconds.
  return askedAt + (windowEnd - now - 1) * (1 - DRIFT);
}

/** When a time of the store's clock is reached for sure, by the clock of this process. */
export function latestStart(time: number, { now, answeredAt }: Pick<AnsweredWindow, "now" | "answeredAt">): number {
  return answeredAt + (time - now) * (1 + DRIFT);
}

export function atLeast(least: bigint, amount: bigint): bigint {
  return amount > least ? amount : least;
}
