import type { Held } from "../../terms/byte-budget.ts";

/**
 * Room for one reply, taken before its request is sent, so that what may be billed is not thrown away for want of it. The
 * reply takes it up as it comes; what is left over is given back at its end.
 */
export class RoomAhead {
  readonly #held: Held;
  #ahead = 0;

  constructor(held: Held) {
    this.#held = held;
  }

  /** False: there is no room, and nothing should be sent. */
  reserve(bytes: number): boolean {
    const ahead = this.#held.holdAhead(bytes);
    this.#ahead += ahead ?? 0;
    return ahead !== null;
  }

  /** Counts bytes of the reply, first out of what was reserved. */
  hold(bytes: number): boolean {
    const fromAhead = Math.min(this.#ahead, bytes);
    if (bytes > fromAhead && !this.#held.hold(bytes - fromAhead)) return false;
    this.#ahead -= fromAhead;
    return true;
  }

  drop(bytes: number): void {
    this.#held.drop(bytes);
  }

  /** No more of the reply will come. */
  giveBack(): void {
    this.#held.drop(this.#ahead);
    this.#ahead = 0;
  }
}
