import { FairShare } from "../../terms/concurrency/fair-share.ts";

/** A pool that waits for a slot. */
interface SlotWaiter {
  /** Takes a slot if it can use one. Returns false if it took none; it has then queued again if it still needs one. */
  serve(): boolean;
}

/**
 * The slots of connections that are in use or being opened, to all vendors together. Each connection takes a file
 * descriptor of the process, so organizations share the slots: otherwise one that calls many vendors at once could take the
 * descriptors that other organizations, clients and probes need.
 */
export class SocketSlots {
  readonly #share: FairShare;
  /** In the order in which they are served. */
  readonly #waiting = new Set<SlotWaiter>();

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

  /** Queues a waiter, which is served when a slot becomes free. */
  wait(waiter: SlotWaiter): void {
    this.#waiting.add(waiter);
  }

  /** Called after a slot has become free. Serves the waiters in order until one takes the slot. */
  serve(): void {
    for (let left = this.#waiting.size; left > 0; left -= 1) {
      const [waiter] = this.#waiting;
      if (waiter === undefined) return;
      this.#waiting.delete(waiter);
      if (waiter.serve()) return;
    }
  }
}
