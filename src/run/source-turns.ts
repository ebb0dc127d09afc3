import type { Lease } from "./around/ports.ts";
import type { Clock } from "../terms/clock.ts";
import { FairShare } from "../terms/fair-share.ts";
import { Fault } from "../terms/fault.ts";
import { TurnQueue } from "../terms/turn-queue.ts";
import { LimitShare } from "./limit-share.ts";
import { giveBack, LEFT, ONE, TurnsAhead, unitsOf, type Turn, type Units, type Windows } from "./turns-ahead.ts";

const WAITING_MAX = 512;
/** Calls that wait for the store alone: it answers soon, and then most of them go on. */
const ASKING_MAX = 16_384;
/** With fewer, nothing is taken ahead. */
const BEGINS_AHEAD_MIN = 4;

/** A limit that calls share, and what this process holds of it. */
export interface TurnLimit {
  readonly lease: Lease;
  readonly max: number;
  /** Calls in a period, as opposed to calls at once. */
  readonly isRate: boolean;
}

export interface TurnAsk {
  /** Owners share the limits. */
  readonly owner: string;
  /** The call has ended by then. */
  readonly deadlineAt: number;
  /** How long it may wait. */
  readonly waitMaxMs: number;
}

/** The turn of one call. */
class OneTurn implements Turn {
  readonly #limits: readonly LimitShare[];
  readonly #owner: string;
  readonly #windows: Windows;
  readonly #given: () => void;

  constructor(limits: readonly LimitShare[], owner: string, windows: Windows, given: () => void) {
    this.#limits = limits;
    this.#owner = owner;
    this.#windows = windows;
    this.#given = given;
  }

  leave(): void {
    this.#give(LEFT);
  }

  undo(): void {
    this.#give(ONE);
  }

  #give(units: Units): void {
    giveBack(this.#limits, this.#owner, this.#windows, units);
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
 * The limits that one source declares for all its calls: how many at once, and how many in a period. These are the
 * vendor's numbers and are never exceeded, by all processes together. Owners share them; as long as only one has ever
 * called, it may use everything. A call over a limit waits for a while, and owners take turns.
 */
export class SourceTurns {
  readonly #clock: Clock;
  readonly #limits: readonly LimitShare[];
  /** Whether calls wait for the next period of a rate, and not only for the store. */
  readonly #waitsForPeriod: boolean;
  /** Whether the end of a call makes room for another, as it does unless all limits are rates. */
  readonly areLeft: boolean;
  readonly #given = (): void => this.#serve();
  readonly #waiting = new TurnQueue<Waiting>();
  readonly #waitingPlaces = new FairShare(WAITING_MAX);
  readonly #askingPlaces = new FairShare(ASKING_MAX);
  /** Turns taken ahead, by owner; and those of the last call. While a call waits there are none. */
  readonly #ahead = new Map<string, TurnsAhead>();
  #last: TurnsAhead | null = null;
  #refusing: LimitShare | null = null;

  constructor(limits: readonly TurnLimit[], clock: Clock, waitsForPeriod: boolean) {
    this.#clock = clock;
    this.#waitsForPeriod = waitsForPeriod;
    this.areLeft = limits.some(({ isRate }) => !isRate);
    this.#limits = limits.map(({ lease, max, isRate }) => new LimitShare(lease, max, isRate));
    for (const { lease } of limits) lease.onNews(() => this.#hear());
  }

  /**
   * A promise if the call has to wait. @throws Fault, or rejects with it, if the call is refused
   * @param now `Clock.now`, read once for all limits of a call
   */
  enter(ask: TurnAsk, now: number): Turn | Promise<Turn> {
    const last = this.#last;
    if (last !== null && last.owner === ask.owner && last.take(now, ask.deadlineAt)) return last;
    return this.#takeAnew(ask, now) ?? this.#wait(ask, now);
  }

  #takeAnew(ask: TurnAsk, now: number): Turn | null {
    const known = this.#ahead.get(ask.owner);
    if (known?.take(now, ask.deadlineAt) === true) return (this.#last = known);
    known?.rest();
    const turn = this.#takeAhead(ask, now, known) ?? this.#take(ask, now);
    if (turn !== null || this.#ahead.size === 0) return turn;
    // Somebody lacks what others have ahead.
    for (const ahead of this.#ahead.values()) ahead.end();
    this.#ahead.clear();
    this.#last = null;
    return this.#take(ask, now);
  }

  /** `null` if there is not room for many. */
  #takeAhead({ owner, deadlineAt }: TurnAsk, now: number, known: TurnsAhead | undefined): Turn | null {
    if (this.#waiting.size > 0) return null;
    const units = this.#aheadFor(owner, now);
    if (units === null) return null;
    const windows = this.#takeUnits(owner, now, deadlineAt, units);
    if (windows === null) return null;
    let ahead = known;
    if (ahead?.add(windows, units) !== true) {
      ahead?.end();
      ahead = new TurnsAhead(this.#limits, owner, windows, this.#given);
      ahead.add(windows, units);
      this.#ahead.set(owner, ahead);
    }
    this.#last = ahead;
    if (ahead.take(now, deadlineAt)) return ahead;
    // A window is about to end.
    ahead.rest();
    return null;
  }

  #aheadFor(owner: string, now: number): Units | null {
    let [places, begins] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    for (const limit of this.#limits) {
      const units = limit.aheadFor(owner, now);
      if (limit.isRate) begins = Math.min(begins, units);
      else places = Math.min(places, units);
    }
    return places === 0 || begins < BEGINS_AHEAD_MIN ? null : { places, begins };
  }

  /** Others may want what was taken ahead. */
  #restAhead(): void {
    if (this.#ahead.size === 0) return;
    for (const [owner, ahead] of this.#ahead) {
      // Of calls that never leave nothing is known any more; one may still be undone.
      if (!this.areLeft) ahead.end();
      else if (ahead.rest()) continue;
      this.#ahead.delete(owner);
    }
    this.#last = null;
  }

  #wait(ask: TurnAsk, now: number): Promise<Turn> {
    const { owner, waitMaxMs } = ask;
    const goneAt = now + waitMaxMs;
    const places = this.#placesFor(owner, now);
    if (!this.#mayComeBy(ask, now, goneAt) || !places.take(owner)) throw this.#fault();
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(waitMaxMs, () => {
        // A place that became free at this very moment is given away first.
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
    // Nobody is asked in turn while there is nothing to give.
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

  /** A lease has changed, or some time has passed: calls that wait for nothing any more are refused at once. */
  #hear(): void {
    this.#restAhead();
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

  /** The store may have answered that a call has to wait for others. */
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

  #take({ owner, deadlineAt }: TurnAsk, now: number): Turn | null {
    const windows = this.#takeUnits(owner, now, deadlineAt, ONE);
    return windows === null ? null : new OneTurn(this.#limits, owner, windows, this.#given);
  }

  /** Takes everything or nothing. Asks each limit even after one refuses, so that each records this owner's demand. */
  #takeUnits(owner: string, now: number, deadlineAt: number, units: Units): Windows | null {
    const windows: (number | null)[] = [];
    let refusing: LimitShare | null = null;
    for (const limit of this.#limits) {
      const window = limit.take(owner, now, deadlineAt, unitsOf(limit, units));
      if (window === null) refusing ??= limit;
      windows.push(window);
    }
    if (refusing === null) return windows as number[];
    this.#refusing = refusing;
    this.#limits.forEach((limit, at) => windows[at] !== null && limit.give(owner, windows[at]!, unitsOf(limit, units)));
    return null;
  }

  /** For a call that has just been refused. */
  #fault(): Fault {
    const refusing = this.#refusing!;
    if (refusing.isUnknown) return new Fault("source.limits_unknown");
    return new Fault(refusing.isRate ? "source.rate_limited_here" : "source.queue_full");
  }
}
