import type { LimitShare } from "./limit-share.ts";

/** A call that may go on. */
export interface Turn {
  /** The call has ended. */
  leave(): void;
  /** Nothing was sent: the call counts towards no rate. */
  undo(): void;
}

/** What a turn has of each limit: the window of its units. */
export type Windows = readonly number[];

/** How many units of each limit on calls at once, and of each rate. */
export interface Units {
  readonly places: number;
  readonly begins: number;
}

export const ONE: Units = { places: 1, begins: 1 };
/** What a call that has ended gives back. */
export const LEFT: Units = { places: 1, begins: 0 };

export function unitsOf({ isRate }: LimitShare, { places, begins }: Units): number {
  return isRate ? begins : places;
}

export function giveBack(limits: readonly LimitShare[], owner: string, windows: Windows, units: Units): void {
  for (let at = 0; at < limits.length; at += 1) {
    const count = unitsOf(limits[at]!, units);
    if (count > 0) limits[at]!.give(owner, windows[at]!, count);
  }
}

/**
 * Turns that one owner has taken ahead of its calls, where all limits have room for many more: each call then counts two
 * numbers and looks at no limit. All calls that use it have the same turn.
 */
export class TurnsAhead implements Turn {
  readonly owner: string;
  readonly #limits: readonly LimitShare[];
  readonly #windows: Windows;
  readonly #given: () => void;
  /** How many calls may still begin. */
  #begins = 0;
  /** How many more may be under way, and how many with those that are. */
  #places = 0;
  #held = 0;
  /** No call begins after the one, and none ends after the other. */
  #beginUntil = 0;
  #endUntil = 0;
  #isOver = false;

  constructor(limits: readonly LimitShare[], owner: string, windows: Windows, given: () => void) {
    this.owner = owner;
    this.#limits = limits;
    this.#windows = windows;
    this.#given = given;
  }

  /** Adds turns that have just been taken. False if they belong to other windows: then nothing is added. */
  add(windows: Windows, { places, begins }: Units): boolean {
    if (!windows.every((window, at) => window === this.#windows[at])) return false;
    this.#begins += begins;
    this.#places += places;
    this.#held += places;
    [this.#beginUntil, this.#endUntil] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { isRate, aheadUntil } of this.#limits) {
      if (isRate) this.#beginUntil = Math.min(this.#beginUntil, aheadUntil);
      else this.#endUntil = Math.min(this.#endUntil, aheadUntil);
    }
    return true;
  }

  /** Whether one more call may go on. */
  take(now: number, deadlineAt: number): boolean {
    if (this.#begins === 0 || this.#places === 0 || now >= this.#beginUntil || deadlineAt > this.#endUntil)
      return false;
    this.#begins -= 1;
    this.#places -= 1;
    return true;
  }

  leave(): void {
    if (this.#isOver) this.#give(LEFT);
    else this.#places += 1;
  }

  undo(): void {
    if (this.#isOver) return this.#give(ONE);
    this.#places += 1;
    this.#begins += 1;
  }

  #give(units: Units): void {
    giveBack(this.#limits, this.owner, this.#windows, units);
    this.#given();
  }

  /** Gives back what no call uses now. @returns whether calls are under way */
  rest(): boolean {
    giveBack(this.#limits, this.owner, this.#windows, { places: this.#places, begins: this.#begins });
    this.#held -= this.#places;
    [this.#places, this.#begins] = [0, 0];
    return this.#held > 0;
  }

  /** Gives back what no call uses, and from now on what each has used as soon as it leaves. */
  end(): void {
    this.rest();
    this.#isOver = true;
  }
}
