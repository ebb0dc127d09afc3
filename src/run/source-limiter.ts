import type { Lease } from "./middleware/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { FairShare } from "../terms/concurrency/fair-share.ts";
import { Fault } from "../terms/fault.ts";
import { RoundRobinQueue } from "../terms/concurrency/round-robin-queue.ts";
import { LimitShare } from "./limit-share.ts";

const WAITING_MAX = 512;
/** The most calls that wait only for an answer of the store. It answers soon, and most of them can then proceed. */
const ASKING_MAX = 16_384;

/** A limit that calls share, and this process's lease of it. */
export interface DeclaredLimit {
  readonly lease: Lease;
  readonly max: number;
  /** Whether it limits the calls in a period, as opposed to calls at once. */
  readonly isRate: boolean;
}

export interface PermitRequest {
  /** The organization of the call. Owners share the limits. */
  readonly owner: string;
  /** When the call has ended at the latest. */
  readonly deadlineAt: number;
  /** How long the call may wait. */
  readonly waitMaxMs: number;
}

/** Permission for a call to proceed. */
export class CallPermit {
  readonly #limits: readonly LimitShare[];
  readonly #owner: string;
  /** For each limit, the window of the unit that was taken. */
  readonly #windows: readonly number[];
  readonly #onReturned: () => void;

  constructor(limits: readonly LimitShare[], owner: string, windows: readonly number[], onReturned: () => void) {
    this.#limits = limits;
    this.#owner = owner;
    this.#windows = windows;
    this.#onReturned = onReturned;
  }

  /** Called when the call has ended. It still counts towards the rates. */
  leave(): void {
    this.#giveUnits(false);
  }

  /** Called if nothing was sent. The call then counts towards no rate. */
  undo(): void {
    this.#giveUnits(true);
  }

  #giveUnits(ratesToo: boolean): void {
    for (const [at, limit] of this.#limits.entries())
      if (ratesToo || !limit.isRate) limit.give(this.#owner, this.#windows[at]!);
    this.#onReturned();
  }
}

interface WaitingCall extends PermitRequest {
  slots: FairShare;
  readonly waitsUntil: number;
  readonly proceed: (permit: CallPermit) => void;
  readonly refuse: (fault: Fault) => void;
}

/**
 * The limits that one source declares for all its calls: the calls at once, and the calls in a period. They are the
 * vendor's limits, and all processes together never exceed them. Owners share them; as long as only one owner has ever
 * called, it may use everything. A call over a limit waits for a while, and owners take turns.
 */
export class SourceLimiter {
  readonly #clock: Clock;
  readonly #limits: readonly LimitShare[];
  /** Whether calls wait for the next period of a rate, and not only for the store. */
  readonly #waitsForPeriod: boolean;
  /** Whether the end of a call lets another one proceed. It does not if all limits are rates. */
  readonly hasConcurrencyLimit: boolean;
  readonly #onReturned = (): void => this.#serve();
  readonly #waiting = new RoundRobinQueue<WaitingCall>();
  readonly #limitSlots = new FairShare(WAITING_MAX);
  readonly #storeSlots = new FairShare(ASKING_MAX);
  #refusing: LimitShare | null = null;

  constructor(limits: readonly DeclaredLimit[], clock: Clock, waitsForPeriod: boolean) {
    this.#clock = clock;
    this.#waitsForPeriod = waitsForPeriod;
    this.hasConcurrencyLimit = limits.some(({ isRate }) => !isRate);
    this.#limits = limits.map(({ lease, max, isRate }) => new LimitShare(lease, max, isRate));
    for (const { lease } of limits) lease.onChange(() => this.#onLeaseChange());
  }

  /**
   * Takes a unit of each limit. Returns a promise if the call has to wait. @throws Fault, or rejects with it, if the call is
   * refused
   * @param now `Clock.now`, read once for all limits of a call
   */
  async enter(ask: PermitRequest, now: number): Promise<CallPermit> {
    return this.#take(ask, now) ?? this.#wait(ask, now);
  }

  #wait(ask: PermitRequest, now: number): Promise<CallPermit> {
    const { owner, waitMaxMs } = ask;
    const waitsUntil = now + waitMaxMs;
    const slots = this.#slotsFor(owner, now);
    if (!this.#mayBeServedBy(ask, now, waitsUntil) || !slots.take(owner)) throw this.#fault();
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(waitMaxMs, () => {
        // A unit that became free at this very moment is used first.
        this.#serve();
        if (this.#waiting.remove(owner, waiting)) this.#refuse(waiting);
      });
      const waiting: WaitingCall = {
        ...ask,
        slots,
        waitsUntil,
        proceed: (permit) => {
          cancel();
          resolve(permit);
        },
        refuse: (fault) => {
          cancel();
          reject(fault);
        },
      };
      this.#waiting.add(owner, waiting);
      this.#reportDemand();
    });
  }

  #serve(): void {
    if (this.#waiting.size === 0) return;
    const now = this.#clock.now();
    // The queue is not searched while a limit has no free unit.
    const mayProceed = (owner: string): boolean =>
      this.#limits.every((limit) => limit.isFree(now) && limit.fits(owner, now));
    let permit: CallPermit | null = null;
    const canBeServed = (waiting: WaitingCall): boolean => (permit = this.#take(waiting, now)) !== null;
    for (let next = this.#waiting.next(mayProceed, canBeServed); next !== undefined;) {
      next.slots.give(next.owner);
      next.proceed(permit!);
      next = this.#waiting.next(mayProceed, canBeServed);
    }
    this.#reportDemand();
  }

  /** Called when a lease has changed or time has passed. Refuses calls that can no longer be served in time. */
  #onLeaseChange(): void {
    this.#serve();
    const now = this.#clock.now();
    for (const waiting of this.#waiting.items()) {
      if (this.#mayBeServedBy(waiting, now, waiting.waitsUntil) && this.#mayKeepSlot(waiting, now)) continue;
      this.#waiting.remove(waiting.owner, waiting);
      this.#refuse(waiting);
    }
  }

  #slotsFor(owner: string, now: number): FairShare {
    return this.#limits.every((limit) => limit.isFree(now) || limit.mayGrow(owner, now))
      ? this.#storeSlots
      : this.#limitSlots;
  }

  /**
   * Whether a call may go on waiting. If the store answered that it has to wait for others, it moves to the shorter
   * queue.
   */
  #mayKeepSlot(waiting: WaitingCall, now: number): boolean {
    if (waiting.slots === this.#limitSlots) return true;
    const slots = this.#slotsFor(waiting.owner, now);
    if (slots === waiting.slots) return true;
    if (!slots.take(waiting.owner)) return false;
    waiting.slots.give(waiting.owner);
    waiting.slots = slots;
    return true;
  }

  #refuse(waiting: WaitingCall): void {
    waiting.slots.give(waiting.owner);
    this.#reportDemand();
    waiting.refuse(this.#fault());
  }

  #mayBeServedBy({ owner }: PermitRequest, now: number, at: number): boolean {
    return this.#limits.every((limit) => limit.mayGrantBy(owner, now, this.#waitsForPeriod ? at : now));
  }

  #reportDemand(): void {
    const now = this.#clock.now();
    const { size } = this.#waiting;
    for (const limit of this.#limits) {
      limit.reportDemand(size, size === 0 ? 0 : this.#waiting.count((owner) => limit.fits(owner, now)));
    }
  }

  /**
   * Takes a unit of each limit, or none. Asks each limit even after one refuses, so that each records this owner's
   * demand.
   */
  #take({ owner, deadlineAt }: PermitRequest, now: number): CallPermit | null {
    const windows: (number | null)[] = [];
    let refusing: LimitShare | null = null;
    for (const limit of this.#limits) {
      const window = limit.take(owner, now, deadlineAt);
      if (window === null) refusing ??= limit;
      windows.push(window);
    }
    if (refusing === null) return new CallPermit(this.#limits, owner, windows as number[], this.#onReturned);
    this.#refusing = refusing;
    this.#limits.forEach((limit, at) => windows[at] !== null && limit.give(owner, windows[at]!));
    return null;
  }

  /** The fault of a call that has just been refused. */
  #fault(): Fault {
    const refusing = this.#refusing!;
    if (refusing.isUnreachable) return new Fault("source.limits_unknown");
    return new Fault(refusing.isRate ? "source.rate_limited_here" : "source.queue_full");
  }
}
