import type { Lease, SharedLimit } from "../../run/middleware/ports.ts";
import { atLeast, type Granted, latestStart, LeasedAmount, type LeaseDemand } from "../leased-amount.ts";
import type { SentBy } from "../ports.ts";
import type { LeaseAnswer, LeaseAsk } from "./ports.ts";

/** The shortest time between two asks that will probably be granted nothing. */
const ASK_AGAIN_MS = 100;
/**
 * Leases of windows of at least this length have to survive a power failure. No machine restarts the service sooner.
 */
const DURABLE_FROM_MS = 5_000;
/** Interval of renewals of a lease of units in use at once. */
const RENEW_MS = 1_000;
/** Units of the next window are requested this long before it begins, but in the last quarter of a window at most. */
const AHEAD_MS = 250;
/** Units of a window that ends sooner are not returned. */
const GIVE_BACK_MS = 2_000;
/** Interval of checks of a lease with units. */
const LOOK_MS = 100;
/**
 * For the beginning of a window, a process asks for this multiple of its recent use, so that no ask is needed at the
 * end of the previous one.
 */
const RESERVE = 1.1;
/** Without rivals, a slice has at least this fraction (1 / n) of the limit, up to a maximum number of units. */
const LEAST_SLICE_PART = 100;
const LEAST_SLICE_MAX = 4_096;
/** A process keeps this multiple of its recently used units in use at once. */
const GROWTH = 1.25;
/** A process reserves its use of a sixtieth of a window in advance, between one and ten seconds. */
const SHARE = 60;
const [SHARE_MS_MIN, SHARE_MS_MAX] = [1_000, 10_000];

/** One process's lease of a limit that sources declare: on calls in a window, or on calls in progress. */
export class SourceLimit extends LeasedAmount<LeaseAsk, LeaseAnswer> implements Lease {
  readonly limit: SharedLimit;
  readonly owner: string;
  readonly #look: (limit: SourceLimit) => void;
  /** Units granted of the next window. */
  #next: Granted | null = null;
  /** Calls that wait for a unit now, and calls that wait for one now or in the next window. */
  #waiting = 0n;
  #inAll = 0;
  /** A call needed a unit, and none was free. */
  #isMissed = false;
  /** From the last answer about the current window: the units that others leave, and the fair part of this lease. */
  #left: number;
  #part: bigint;
  #hasRivals = false;
  /** The store knows that this process wants units. */
  #isWanted = false;
  /** The next window is asked for from this time on. */
  #aheadFrom = Number.POSITIVE_INFINITY;
  #renewAt = Number.POSITIVE_INFINITY;
  #listener = (): void => {};

  /** @param look called when there may be something to ask */
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
    // A unit of an earlier window has no value.
    if (granted?.window !== window) return;
    granted.used -= 1n;
    if (!this.#isAtOnce) return this.recent.undo();
    if (granted.amount <= this.#part) return;
    // Other processes lack units, so this one goes to them.
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

  /** When waiting calls may get units. */
  #servesAt(granted: Granted | null): number {
    if (granted === null) return this.#next?.from ?? this.askAgainAt;
    const nextAt = this.#next === null ? this.#aheadAt(granted.until) : granted.until;
    return this.#waiting > 0n ? Math.min(this.askAgainAt, nextAt) : nextAt;
  }

  override ask(now: number, by: SentBy, joins: boolean): LeaseAsk | null {
    // The process is between two windows and already has units of the next one.
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
    // Including a window that seems to be over: by the store's clock it may not be.
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
    // So near the end of the window, nothing certain is known about it any more.
    if (granted.until <= answeredAt) this.askAgainAt = latestStart(grant.endsAt, answer);
  }

  /**
   * If this answer granted less than the ask, more units are not available at once.
   * @param gotAll whether it granted the whole ask: newer calls may need more units, which the store may have
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

  /** Whether it limits units in use at once, rather than units per window. */
  get #isAtOnce(): boolean {
    return this.limit.everyMs === null;
  }

  protected override at(now: number): Granted | null {
    const granted = this.granted;
    if (granted === null || now < granted.until) return granted;
    if (this.#isAtOnce) {
      // The lease was lost: no units are taken until there is a new one. Units in use still count.
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

  /** A small part of a high limit can be kept in reserve for any use, if no other process wants units. */
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

  /** When asking may help again, if the lease has all units and no other process wants any. */
  #waitsUntil(until: number): number {
    if (this.#isAtOnce) return this.#renewAt;
    return this.#next === null ? this.#aheadAt(until) : until;
  }

  protected override toKeep(now: number, granted: Granted, soon: bigint): bigint {
    if (!this.#isAtOnce && granted.until - now < GIVE_BACK_MS) return granted.amount;
    return super.toKeep(now, granted, soon);
  }
}

/** The time for which the expected use of a window is reserved in advance. */
function shareMs(everyMs: number | null): number | null {
  if (everyMs === null) return null;
  return Math.min(everyMs, Math.max(SHARE_MS_MIN, Math.min(SHARE_MS_MAX, everyMs / SHARE)));
}
