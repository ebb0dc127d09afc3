import type { Lease, SharedLimit } from "../../run/middleware/ports.ts";
import { atLeast, type Granted, latestStart, LeasedAmount, type LeaseDemand } from "../leased-amount.ts";
import type { SentBy } from "../ports.ts";
import type { LeaseAnswer, LeaseAsk } from "./ports.ts";

/** The shortest time between two asks that will probably be answered with nothing. */
const ASK_AGAIN_MS = 100;
/** Leases of windows of this length or more have to survive a power failure; no machine runs the service again sooner. */
const DURABLE_FROM_MS = 5_000;
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
/** If no other process wants any, a slice has at least one of so many parts of the limit, but not more than so many units. */
const LEAST_SLICE_PART = 100;
const LEAST_SLICE_MAX = 4_096;
/** A process holds this many times as many units in use at once as it used lately. */
const GROWTH = 1.25;
/** A process has its share of a window in hand for a sixtieth of it, between one and ten seconds. */
const SHARE = 60;
const [SHARE_MS_MIN, SHARE_MS_MAX] = [1_000, 10_000];

/** What one process holds of a limit that sources declare: on calls in a window, or on calls in progress. */
export class SourceLimit extends LeasedAmount<LeaseAsk, LeaseAnswer> implements Lease {
  readonly limit: SharedLimit;
  readonly owner: string;
  readonly #look: (limit: SourceLimit) => void;
  /** What was granted of the window after the current one. */
  #next: Granted | null = null;
  /** Calls that wait for a unit now, and those that wait for one now or in the next window. */
  #waiting = 0n;
  #inAll = 0;
  /** A unit was asked for and not there. */
  #isMissed = false;
  /** Of the last answer about the current window: what others leave, and what this lease may hold. */
  #left: number;
  #part: bigint;
  #hasRivals = false;
  /** The store was told that it wants some. */
  #isWanted = false;
  /** The next window is asked for from this time on. */
  #aheadFrom = Number.POSITIVE_INFINITY;
  #renewAt = Number.POSITIVE_INFINITY;
  #listener = (): void => {};

  /** @param look is called when there may be something to ask */
  constructor(limit: SharedLimit, lease: string, owner: string, look: (limit: SourceLimit) => void) {
    super(lease, shareMs(limit.everyMs));
    this.limit = limit;
    this.owner = owner;
    this.#look = look;
    this.#left = limit.max;
    this.#part = BigInt(limit.max);
  }

  take(now: number, until: number): number | null {
    const granted = this.at(now);
    if (granted === null || granted.used >= granted.amount || (this.#isAtOnce && until > granted.until)) {
      this.#isMissed = true;
      if (now >= this.askAgainAt) this.#look(this);
      return null;
    }
    this.use(now, granted, 1n, this.#isAtOnce ? Number(granted.used) + 1 : 1);
    if (now >= this.#aheadFrom || (granted.used >= this.lowFrom && this.isLow(now))) this.#look(this);
    return granted.window;
  }

  give(window: number): void {
    const granted = this.granted;
    // A unit of an earlier window is worth nothing.
    if (granted?.window !== window) return;
    granted.used -= 1n;
    if (!this.#isAtOnce) return this.recent.undo();
    if (granted.amount <= this.#part) return;
    // Others have less than they want: the unit is for them.
    granted.amount = atLeast(this.#part, granted.used);
    this.#look(this);
  }

  reportDemand(now: number, inAll: number): void {
    const isNew = now > this.#waiting || (inAll > 0 && this.#inAll === 0);
    this.#waiting = BigInt(now);
    this.#inAll = inAll;
    if (isNew) this.#look(this);
  }

  window(now: number): number | null {
    return this.at(now)?.window ?? null;
  }

  unclaimed(): number {
    return this.#left;
  }

  mayGrow(now: number): boolean {
    const granted = this.at(now);
    return !this.isUnreachable && (granted === null || now >= this.askAgainAt || this.#left > granted.amount);
  }

  free(now: number): number {
    const granted = this.at(now);
    return granted === null ? 0 : Number(atLeast(0n, granted.amount - granted.used));
  }

  hasUnits(now: number): boolean {
    return (this.at(now)?.amount ?? 0n) > 0n;
  }

  get nextAt(): number {
    if (this.#isAtOnce) return Number.POSITIVE_INFINITY;
    return this.granted?.until ?? Number.NEGATIVE_INFINITY;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  notifyNews(): void {
    this.#listener();
  }

  dueAt(now: number): number {
    const granted = this.at(now);
    if (this.#waiting > 0n || this.#inAll > 0) return Math.max(now + 1, this.#servesAt(granted));
    const holds =
      granted !== null && (this.#isAtOnce ? this.kept > 0n || this.#isWanted : granted.used < granted.amount);
    return holds || this.#next !== null ? now + LOOK_MS : Number.POSITIVE_INFINITY;
  }

  /** When calls that wait may get something. */
  #servesAt(granted: Granted | null): number {
    if (granted === null) return this.#next?.from ?? this.askAgainAt;
    const nextAt = this.#next === null ? this.#aheadAt(granted.until) : granted.until;
    return this.#waiting > 0n ? Math.min(this.askAgainAt, nextAt) : nextAt;
  }

  override ask(now: number, by: SentBy, joins: boolean): LeaseAsk | null {
    // It waits for a window of which it holds something already.
    if (this.at(now) === null && this.#next !== null) return null;
    return super.ask(now, by, joins);
  }

  askToEnd(now: number, by: SentBy): LeaseAsk | null {
    const granted = this.at(now);
    if (granted === null && this.#next === null) return null;
    this.#next = null;
    if (granted !== null) granted.amount = granted.used;
    return this.toAsk(now, by, { need: 0n, spare: 0n, ahead: 0n });
  }

  protected override toAsk(_now: number, { process, sequence }: SentBy, { need, spare, ahead }: LeaseDemand): LeaseAsk {
    this.#isMissed = false;
    this.#aheadFrom = Number.POSITIVE_INFINITY;
    // Also a window that seems to be over: it may not be by the store's clock.
    const granted = [this.granted, this.#next].filter((one) => one !== null);
    return {
      limit: this.limit,
      lease: this.lease,
      process,
      sequence,
      held: granted.map(({ window, amount, used }) => ({ window, amount: Number(amount), used: Number(used) })),
      need: Number(need),
      spare: Number(spare),
      ahead: Number(ahead),
      isDurable: (this.limit.everyMs ?? 0) >= DURABLE_FROM_MS,
    };
  }

  answered({ now, grants }: LeaseAnswer, askedAt: number, answeredAt: number): void {
    const [grant, next] = grants as readonly [LeaseAnswer["grants"][0], LeaseAnswer["grants"][0] | undefined];
    const answer = { window: grant.window, windowEnd: grant.endsAt, now, askedAt, answeredAt };
    const [amount, part] = [BigInt(grant.amount), BigInt(grant.part)];
    const granted = this.replace(answer, amount);
    if (granted === null) return;
    if (next !== undefined) {
      const following = { ...answer, window: next.window, windowEnd: next.endsAt };
      this.#next = this.toGranted(following, latestStart(next.window, answer), BigInt(next.amount));
    } else if (this.#next !== null && this.#next.window <= grant.window) this.#next = null;
    [this.kept, this.#part] = [amount, part];
    this.#left = Math.max(0, this.limit.max - grant.others);
    this.#hasRivals = grant.hasRivals;
    this.#isWanted = grant.wants > 0;
    if (this.#isAtOnce && part < amount) granted.amount = atLeast(part, granted.used < amount ? granted.used : amount);
    this.#renewAt = this.#isAtOnce && amount > 0n ? answeredAt + RENEW_MS : Number.POSITIVE_INFINITY;
    this.#lookAgain(answeredAt, granted, grant.amount >= grant.wants);
    // So near its end that nothing can be said about the window any more.
    if (granted.until <= answeredAt) this.askAgainAt = latestStart(grant.endsAt, answer);
  }

  /**
   * More cannot be had at once if this answer did not bring what was asked for.
   * @param gotAll whether it did: calls that have come since may need more, which the store may have
   */
  #lookAgain(now: number, { amount, used, until }: Granted, gotAll: boolean): void {
    const isShort = amount - used < atLeast(1n, this.#waiting);
    const isAll = amount >= this.limit.max && !this.#hasRivals;
    this.askAgainAt = now;
    if (isShort && isAll) this.askAgainAt = this.#waitsUntil(until);
    else if (isShort && !gotAll) this.askAgainAt = now + ASK_AGAIN_MS;
    if (amount < this.kept || (isShort && this.#waiting > 0n)) this.#look(this);
    this.lowFrom = 0n;
    this.#aheadFrom = this.#next === null ? this.#aheadAt(until) : Number.POSITIVE_INFINITY;
  }

  protected override startAnew(): void {
    super.startAnew();
    this.#next = null;
  }

  /** Whether it limits the units that are in use at once, as opposed to those of a window. */
  get #isAtOnce(): boolean {
    return this.limit.everyMs === null;
  }

  protected override at(now: number): Granted | null {
    const granted = this.granted;
    if (granted === null || now < granted.until) return granted;
    if (this.#isAtOnce) {
      // The lease was lost: nothing more is taken until there is a new one. What is in use still counts.
      granted.amount = 0n;
      return granted;
    }
    const next = this.#next;
    if (next === null || now < next.from) return null;
    [this.granted, this.#next] = [next, null];
    this.kept = next.amount;
    this.#left = this.limit.max;
    this.#lookAgain(now, next, false);
    this.askAgainAt = now;
    return now < next.until ? next : null;
  }

  protected override get leftOver(): bigint {
    return BigInt(this.#left);
  }

  protected override needs(now: number, free: bigint): bigint {
    if (now < this.askAgainAt) return 0n;
    return atLeast(this.#isMissed && free <= this.#waiting ? 1n : 0n, this.#waiting - free);
  }

  protected override hasNews(now: number, keep: bigint, soon: bigint, joins: boolean): boolean {
    if (keep < this.kept || now >= this.#renewAt - (joins ? RENEW_MS / 2 : 0)) return true;
    const wantsNone = this.granted!.used + this.#waiting + soon === 0n;
    return this.#isAtOnce && this.#isWanted && wantsNone;
  }

  protected override expected(now: number): bigint {
    if (!this.#isAtOnce) return super.expected(now);
    const used = this.granted?.used ?? 0n;
    return atLeast(0n, BigInt(Math.ceil(this.recent.expected(now) * GROWTH)) - used);
  }

  /** A part of a high limit is so small that it can be in hand for whatever comes, if no other process wants it. */
  protected override inHand(expected: bigint): bigint {
    if (this.#hasRivals || expected === 0n) return expected;
    const leastSlice = BigInt(Math.min(LEAST_SLICE_MAX, Math.floor(this.limit.max / LEAST_SLICE_PART)));
    return atLeast(leastSlice, expected);
  }

  protected override ahead(now: number): bigint {
    if (this.granted === null || this.#next !== null || now < this.#aheadAt(this.granted.until)) return 0n;
    const expected = BigInt(Math.ceil(this.recent.expected(now) * RESERVE));
    return BigInt(this.#inAll) + this.inHand(expected);
  }

  #aheadAt(until: number): number {
    const { everyMs } = this.limit;
    return everyMs === null ? Number.POSITIVE_INFINITY : until - Math.min(AHEAD_MS, everyMs / 4);
  }

  /** When asking may help again, if it holds all there is and nobody else wants any. */
  #waitsUntil(until: number): number {
    if (this.#isAtOnce) return this.#renewAt;
    return this.#next === null ? this.#aheadAt(until) : until;
  }

  protected override toKeep(now: number, granted: Granted, soon: bigint): bigint {
    if (!this.#isAtOnce && granted.until - now < GIVE_BACK_MS) return granted.amount;
    return super.toKeep(now, granted, soon);
  }
}

/** For so long, what is used of a window is held in hand. */
function shareMs(everyMs: number | null): number | null {
  if (everyMs === null) return null;
  return Math.min(everyMs, Math.max(SHARE_MS_MIN, Math.min(SHARE_MS_MAX, everyMs / SHARE)));
}
