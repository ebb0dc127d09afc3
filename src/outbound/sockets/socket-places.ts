import { FairShare } from "../../terms/fair-share.ts";

/** What waits for a place. */
interface Waiter {
  /** Takes a place if it can use one. Returns false if it took none; it then waits again if it needs one. */
  serve(): boolean;
}

/**
 * The connections that are in use or being opened, to all vendors together. Each takes a file of the process, so
 * organizations share their number: otherwise one that asks many vendors at once could take the files that others need,
 * and those of clients and probes.
 */
export class SocketPlaces {
  readonly #share: FairShare;
  /** In the order in which they are served. */
  readonly #waiting = new Set<Waiter>();

  constructor(max: number) {
    this.#share = new FairShare(max);
  }

  get inUse(): number {
    return this.#share.inUse;
  }

  fits(owner: string): boolean {
    return this.#share.fits(owner);
  }

  take(owner: string): void {
    this.#share.take(owner);
  }

  give(owner: string): void {
    this.#share.give(owner);
  }

  /** It is served when a place becomes free. */
  wait(waiter: Waiter): void {
    this.#waiting.add(waiter);
  }

  /** A place has become free. Whoever has been served waits behind the others the next time. */
  serve(): void {
    for (let left = this.#waiting.size; left > 0; left -= 1) {
      const [waiter] = this.#waiting;
      if (waiter === undefined) return;
      this.#waiting.delete(waiter);
      if (waiter.serve()) return;
    }
  }
}
