import { type Budget, hasCapacity, warnFrom } from "../../terms/money/budget.ts";
import type { Micros } from "../../terms/money/money.ts";
import { atLeast, type Granted, LeasedAmount, type Logged, type LeaseDemand } from "../leased-amount.ts";
import type { SentBy } from "../ports.ts";
import { LEFT_AFTER_MS } from "./keep-leases.ts";
import type { BudgetAnswer, BudgetAsk, UsageLog } from "./ports.ts";

/** A process reserves in advance its expected use of this interval. */
const AHEAD_MS = 5_000;
/** The shortest time between two asks that will probably be granted nothing. */
const ASK_AGAIN_MS = 250;
/** Interval of reports of used units to the store. */
const REPORT_MS = 1_000;
/** Interval of checks of a budget with waiting requests while the store does not answer. */
const LOOK_MS = 100;
const NOTHING_KNOWN = -1n;
const NOTHING_WANTED: LeaseDemand = { need: 0n, spare: 0n, ahead: 0n };

/** The units of one budget that one process has leased. */
export class BudgetLimit extends LeasedAmount<BudgetAsk, BudgetAnswer> {
  readonly owner: string;
  #budget: Budget;
  readonly #log: UsageLog;
  /** Units used by other processes, as of the last answer. */
  #othersUsed = 0n;
  /** The budget is nearly used once this process alone has used this many units. */
  #warnFrom = 0n;
  /** The budget has been removed and counts nothing any more. */
  isRemoved = false;
  /** The lease has ended in the store, which does not count all units used under it yet. */
  isEnding = false;
  /** Units needed by each request that waits for the store. */
  readonly waiting = new Set<{ readonly units: Micros }>();
  /** The smallest of these needs at the time of the last ask. */
  #smallest = 0n;
  /** Charged units that are in no lease. They are added to the next one. */
  #owed = 0n;
  #lastUnits = 1n;
  /** Until this time, an ask would not bring capacity for this many units. */
  #shortUntil = Number.NEGATIVE_INFINITY;
  #shortOf = 0n;
  /** The limit has changed: units reserved beyond the use may be too many. */
  #isChanged = false;
  /** Used units in the last report to the store. */
  #reportedUsed = 0n;
  /** Units were taken since the report, even if as many were freed. */
  #isTaken = false;
  /** Time of the last report, and of the last answered ask. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;

  /** @param lease a name that is unique among all leases */
  constructor(budget: Budget, lease: string, log: UsageLog) {
    super(lease, AHEAD_MS);
    this.owner = budget.organizationId;
    this.#budget = budget;
    this.#log = log;
    this.#know(budget, 0n);
  }

  #know(budget: Budget, othersUsed: Micros): void {
    [this.#budget, this.#othersUsed] = [budget, othersUsed];
    this.#warnFrom = warnFrom(budget) - othersUsed;
  }

  get budget(): Budget {
    return this.#budget;
  }

  /** Units used by all processes together, as far as is known here. */
  get used(): Micros {
    return this.#othersUsed + (this.granted?.used ?? 0n);
  }

  /** Whether all processes together have used more than the warning level. */
  get isNearlyUsed(): boolean {
    return this.granted !== null && this.granted.used >= this.#warnFrom;
  }

  /** The store did not answer the last ask, and it is too early for another one. */
  isUnknown(now: number): boolean {
    return this.isUnreachable && now < this.askAgainAt;
  }

  /** Whether an ask for these units would be useless now. It is useful again in a new period. */
  isKnownShort(now: number, units: Micros): boolean {
    return now < this.#shortUntil && units >= this.#shortOf && !this.isOver(now);
  }

  /** Units of the current lease cannot be used, because its period may have ended. Ask the store. */
  isOver(now: number): boolean {
    return this.at(now) === null;
  }

  /** The budget's limit may have changed. */
  renew(budget: Budget): void {
    if (budget.limit !== this.#budget.limit) [this.#isChanged, this.#shortUntil] = [true, Number.NEGATIVE_INFINITY];
    this.#know(budget, this.#othersUsed);
  }

  fits(now: number, units: Micros): boolean {
    const granted = this.at(now);
    return granted !== null && hasCapacity(granted.used, units, granted.amount);
  }

  /** Takes the units of a request. Call it only if they fit. */
  take(now: number, units: Micros): Granted {
    const granted = this.at(now)!;
    this.use(now, granted, units);
    this.#isTaken = true;
    this.#lastUnits = units;
    return granted;
  }

  /** A request has used more units than it had taken, or fewer if `more` is negative. */
  correct(granted: Granted, more: Micros): void {
    granted.used += more;
    if (more < 0n) this.lowFrom += more;
  }

  /** Counts charged units beyond the lease, even if the budget has no capacity for them. */
  charge(now: number, units: Micros): void {
    const granted = this.granted;
    if (granted === null || now >= granted.until) {
      this.#owed += units;
      return;
    }
    granted.used += units;
    const logged = this.logOf(granted);
    if (logged === null) return;
    logged.used += units;
    logged.log.end(null, logged.used);
  }

  /** Whether charged units are in no lease, so that the store must grant one. */
  get owes(): boolean {
    return this.#owed > 0n;
  }

  /**
   * `null` if the period of the lease is over: its use need not be logged. The use of a replaced lease of this period
   * is still logged.
   */
  logOf(granted: Granted): Logged | null {
    if (this.isOfPast(granted)) return null;
    const { window: periodFrom, lease } = granted;
    granted.logged ??= { log: this.#log.of({ budgetId: this.#budget.id, periodFrom, lease }), used: 0n };
    return granted.logged;
  }

  isOfPast({ window }: Granted): boolean {
    return this.granted !== null && this.granted.window > window;
  }

  dueAt(now: number): number {
    if (this.waiting.size > 0) return Math.max(now + LOOK_MS, this.askAgainAt);
    const granted = this.at(now);
    const isLive = granted !== null && (this.#isChanged || this.#isNews(granted) || granted.amount !== granted.used);
    return isLive || this.isEnding || this.owes ? Math.max(now + 1, this.#reportAt(now)) : Number.POSITIVE_INFINITY;
  }

  /** When to report to the store, and to check units reserved in advance. */
  #reportAt(now: number): number {
    return this.granted !== null && this.#isNews(this.granted) ? this.#reportedAt + REPORT_MS : now + REPORT_MS;
  }

  #isNews({ used }: Granted): boolean {
    // Values logged earlier are ignored once the store has newer ones: they may be about other requests.
    return this.#isTaken || used !== this.#reportedUsed;
  }

  override ask(now: number, by: SentBy, joins: boolean): BudgetAsk | null {
    if (this.#isLeft(now)) this.startAnew();
    if (this.isEnding) return this.isUnknown(now) ? null : this.#report(now, by, { hasEnded: true, ends: true });
    const granted = this.granted;
    // More was charged than had been reserved. The store must count it, even without capacity.
    if (granted !== null && (this.#isChanged || granted.used > granted.amount)) granted.amount = granted.used;
    return super.ask(now, by, joins);
  }

  protected override needs(_now: number, free: Micros): Micros {
    let units = 0n;
    this.#smallest = 0n;
    for (const one of this.waiting) {
      units += one.units;
      if (this.#smallest === 0n || one.units < this.#smallest) this.#smallest = one.units;
    }
    return atLeast(0n, units + this.#owed - free);
  }

  protected override hasNews(now: number, keep: Micros, _soon: Micros, joins: boolean): boolean {
    if (keep !== this.kept) return true;
    return this.#isNews(this.granted!) && now >= this.#reportedAt + (joins ? REPORT_MS / 2 : REPORT_MS);
  }

  protected override get leftOver(): Micros {
    return this.#budget.limit - this.#othersUsed;
  }

  /** Returns all unused units. */
  askToEnd(now: number, by: SentBy): BudgetAsk | null {
    const granted = this.granted;
    if (granted === null || this.#isLeft(now)) return null;
    granted.amount = granted.used;
    return this.#report(now, by, { ends: true, hasEnded: this.isEnding });
  }

  /** The store may forget the lease soon, or has done so: its units stay counted, and are not reported again. */
  #isLeft(now: number): boolean {
    return this.granted !== null && now - this.#confirmedAt >= LEFT_AFTER_MS;
  }

  protected override toAsk(now: number, by: SentBy, wanted: LeaseDemand, free: Micros): BudgetAsk {
    this.#isChanged = false;
    const least = this.#smallest > free ? this.#smallest - free : this.#lastUnits;
    return this.#report(now, by, { wanted, least: atLeast(1n, least) });
  }

  #report(
    now: number,
    by: SentBy,
    { wanted = NOTHING_WANTED, least = 1n, ends = false, hasEnded = false }: Partial<Reported>,
  ): BudgetAsk {
    const [keep, used] = [this.granted?.amount ?? 0n, this.granted?.used ?? 0n];
    const { need, spare } = wanted;
    const isMore = keep > this.kept || this.#reportedUsed === NOTHING_KNOWN;
    [this.kept, this.#reportedUsed, this.#isTaken, this.#reportedAt] = [keep, used, false, now];
    return {
      ...by,
      budgetId: this.#budget.id,
      lease: this.lease,
      periodFrom: this.granted?.window ?? null,
      keep,
      used,
      wanted: { need, least, spare },
      ends,
      hasEnded,
      isDurable: need + spare > 0n || hasEnded || isMore,
    };
  }

  answered({ budget, period, ...answer }: BudgetAnswer, askedAt: number, answeredAt: number): void {
    if (budget === null) {
      [this.isUnreachable, this.isRemoved, this.isEnding, this.#owed] = [false, true, false, 0n];
      return;
    }
    this.#know(budget, this.#othersUsed);
    const { now, amount, counted, othersUsed } = answer;
    if (counted !== null) return this.#hasEnded(counted, period.from);
    const known = this.granted;
    const window = { window: period.from, windowEnd: period.to, now, askedAt, answeredAt };
    const granted = this.replace(window, amount);
    if (granted === null) return;
    this.isEnding = false;
    this.#confirmedAt = askedAt;
    this.#know(budget, othersUsed);
    if (granted !== known) this.#reportedUsed = 0n;
    [this.kept, this.lowFrom, this.askAgainAt] = [amount, 0n, answeredAt];
    const owed = this.#owed;
    this.#owed = 0n;
    if (owed > 0n) this.charge(answeredAt, owed);
    if (this.isLow(answeredAt)) this.askAgainAt = answeredAt + ASK_AGAIN_MS;
    if (this.#smallest === 0n || hasCapacity(granted.used, this.#smallest, amount)) return;
    [this.#shortUntil, this.#shortOf] = [answeredAt + ASK_AGAIN_MS, this.#smallest];
  }

  override failed(now: number): void {
    super.failed(now);
    // The store may have granted units that are not known here, so the use is reported again.
    this.#reportedUsed = NOTHING_KNOWN;
  }

  /**
   * Another start of the same process has ended the lease. Units used beyond those known to that start are reported
   * first.
   */
  #hasEnded(counted: Micros, periodFrom: number): void {
    const granted = this.granted;
    this.isUnreachable = false;
    this.isEnding = granted !== null && granted.window === periodFrom && granted.used > counted;
    if (!this.isEnding) this.startAnew();
  }

  protected override startAnew(): void {
    super.startAnew();
    this.isEnding = false;
    this.#shortUntil = Number.NEGATIVE_INFINITY;
  }

  protected override at(now: number): Granted | null {
    return this.isEnding ? null : super.at(now);
  }
}

interface Reported {
  readonly wanted: LeaseDemand;
  /** The need of the smallest waiting request. */
  readonly least: Micros;
  readonly ends: boolean;
  readonly hasEnded: boolean;
}
