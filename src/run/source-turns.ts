import type { Lease } from "./around/ports.ts";
import type { Clock } from "../terms/clock.ts";
import { FairShare } from "../terms/fair-share.ts";
import { Fault } from "../terms/fault.ts";
import { TurnQueue } from "../terms/turn-queue.ts";
import { LimitShare } from "./limit-share.ts";

const WAITING_MAX = 512;
/** The most calls that wait only for an answer of the store. It answers soon, and most of them can then proceed. */
const ASKING_MAX = 16_384;

/** A limit that calls share, and this process's lease of it. */
export interface TurnLimit {
  readonly lease: Lease;
  readonly max: number;
  /** Whether it limits the calls in a period, as opposed to calls at once. */
  readonly isRate: boolean;
}

export interface TurnAsk {
  /** The organization of the call. Owners share the limits. */
  readonly owner: string;
  /** When the call has ended at the latest. */
  readonly deadlineAt: number;
  /** How long the call may wait. */
  readonly waitMaxMs: number;
}

/** Permission for a call to proceed. */
export class Turn {
  readonly #limits: readonly LimitShare[];
  readonly #owner: string;
  /** For each limit, the window of the unit that was taken. */
  readonly #windows: readonly number[];
  readonly #given: () => void;

  constructor(limits: readonly LimitShare[], owner: string, windows: readonly number[], given: () => void) {
    this.#limits = limits;
    this.#owner = owner;
    this.#windows = windows;
    this.#given = given;
  }

  /** Called when the call has ended. It still counts towards the rates. */
  leave(): void {
    this.#give(false);
  }

  /** Called if nothing was sent. The call then counts towards no rate. */
  undo(): void {
    this.#give(true);
  }

  #give(ratesToo: boolean): void {
    for (const [at, limit] of this.#limits.entries())
      if (ratesToo || !limit.isRate) limit.give(this.#owner, this.#windows[at]!);
    this.#given();
  }
}

interface Waiting extends TurnAsk {
  places: FairShare;
  readonly goneAt: number;
  readonly goOn: (turn: Turn) => void;
  readonly refuse: (fault: Fault) => void;
}

/**
 * The limits that one source declares for all its calls: the calls at once, and the calls in a period. They are the
 * vendor's limits, and all processes together never exceed them. Owners share them; as long as only one owner has ever
 * called, it may use everything. A call over a limit waits for a while, and owners take turns.
 */
export class SourceTurns {
  readonly #clock: Clock;
  readonly #limits: readonly LimitShare[];
  /** Whether calls wait for the next period of a rate, and not only for the store. */
  readonly #waitsForPeriod: boolean;
  /** Whether the end of a call lets another one proceed. It does not if all limits are rates. */
  readonly areLeft: boolean;
  readonly #given = (): void => this.#serve();
  readonly #waiting = new TurnQueue<Waiting>();
  readonly #waitingPlaces = new FairShare(WAITING_MAX);
  readonly #askingPlaces = new FairShare(ASKING_MAX);
  #refusing: LimitShare | null = null;

  constructor(limits: readonly TurnLimit[], clock: Clock, waitsForPeriod: boolean) {
    this.#clock = clock;
    this.#waitsForPeriod = waitsForPeriod;
    this.areLeft = limits.some(({ isRate }) => !isRate);
    this.#limits = limits.map(({ lease, max, isRate }) => new LimitShare(lease, max, isRate));
    for (const { lease } of limits) lease.onNews(() => this.#hear());
  }

  /**
   * Takes a unit of each limit. Returns a promise if the call has to wait. @throws Fault, or rejects with it, if the call is
   * refused
   * @param now `Clock.now`, read once for all limits of a call
   */
  async enter(ask: TurnAsk, now: number): Promise<Turn> {
    return this.#take(ask, now) ?? this.#wait(ask, now);
  }

  #wait(ask: TurnAsk, now: number): Promise<Turn> {
    const { owner, waitMaxMs } = ask;
    const goneAt = now + waitMaxMs;
    const places = this.#placesFor(owner, now);
    if (!this.#mayComeBy(ask, now, goneAt) || !places.take(owner)) throw this.#fault();
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(waitMaxMs, () => {
        // A unit that became free at this very moment is used first.
        this.#serve();
        if (this.#waiting.remove(owner, waiting)) this.#refuse(waiting);
      });
      const waiting: Waiting = {
        ...ask,
        places,
        goneAt,
        goOn: (turn) => {
          cancel();
          resolve(turn);
        },
        refuse: (fault) => {
          cancel();
          reject(fault);
        },
      };
      this.#waiting.add(owner, waiting);
      this.#sayWanted();
    });
  }

  #serve(): void {
    if (this.#waiting.size === 0) return;
    const now = this.#clock.now();
    // The queue is not searched while a limit has no free unit.
    const mayGoOn = (owner: string): boolean =>
      this.#limits.every((limit) => limit.isFree(now) && limit.fits(owner, now));
    let turn: Turn | null = null;
    const canBeServed = (waiting: Waiting): boolean => (turn = this.#take(waiting, now)) !== null;
    for (let next = this.#waiting.next(mayGoOn, canBeServed); next !== undefined;) {
      next.places.give(next.owner);
      next.goOn(turn!);
      next = this.#waiting.next(mayGoOn, canBeServed);
    }
    this.#sayWanted();
  }

  /** Called when a lease has changed or time has passed. Refuses calls that can no longer be served in time. */
  #hear(): void {
    this.#serve();
    const now = this.#clock.now();
    for (const waiting of this.#waiting.items()) {
      if (this.#mayComeBy(waiting, now, waiting.goneAt) && this.#keepsPlace(waiting, now)) continue;
      this.#waiting.remove(waiting.owner, waiting);
      this.#refuse(waiting);
    }
  }

  #placesFor(owner: string, now: number): FairShare {
    return this.#limits.every((limit) => limit.isFree(now) || limit.isAsked(owner, now))
      ? this.#askingPlaces
      : this.#waitingPlaces;
  }

  /**
   * Whether a call may go on waiting. If the store answered that it has to wait for others, it moves to the shorter
   * queue.
   */
  #keepsPlace(waiting: Waiting, now: number): boolean {
    if (waiting.places === this.#waitingPlaces) return true;
    const places = this.#placesFor(waiting.owner, now);
    if (places === waiting.places) return true;
    if (!places.take(waiting.owner)) return false;
    waiting.places.give(waiting.owner);
    waiting.places = places;
    return true;
  }

  #refuse(waiting: Waiting): void {
    waiting.places.give(waiting.owner);
    this.#sayWanted();
    waiting.refuse(this.#fault());
  }

  #mayComeBy({ owner }: TurnAsk, now: number, at: number): boolean {
    return this.#limits.every((limit) => limit.mayComeBy(owner, now, this.#waitsForPeriod ? at : now));
  }

  #sayWanted(): void {
    const now = this.#clock.now();
    const { size } = this.#waiting;
    for (const limit of this.#limits) {
      limit.want(size, size === 0 ? 0 : this.#waiting.count((owner) => limit.fits(owner, now)));
    }
  }

  /**
   * Takes a unit of each limit, or none. Asks each limit even after one refuses, so that each records this owner's
   * demand.
   */
  #take({ owner, deadlineAt }: TurnAsk, now: number): Turn | null {
    const windows: (number | null)[] = [];
    let refusing: LimitShare | null = null;
    for (const limit of this.#limits) {
      const window = limit.take(owner, now, deadlineAt);
      if (window === null) refusing ??= limit;
      windows.push(window);
    }
    if (refusing === null) return new Turn(this.#limits, owner, windows as number[], this.#given);
    this.#refusing = refusing;
    this.#limits.forEach((limit, at) => windows[at] !== null && limit.give(owner, windows[at]!));
    return null;
  }

  /** The fault of a call that has just been refused. */
  #fault(): Fault {
    const refusing = this.#refusing!;
    if (refusing.isUnknown) return new Fault("source.limits_unknown");
    return new Fault(refusing.isRate ? "source.rate_limited_here" : "source.queue_full");
  }
}
