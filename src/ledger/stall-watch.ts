import type { Clock } from "../terms/clock.ts";

/** Notices when the oldest waiting record has waited too long. Keeps a timer only while something may be waiting. */
export class StallWatch {
  readonly #clock: Clock;
  readonly #stallMs: number;
  readonly #oldestAt: () => number | null;
  readonly #onStall: () => void;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, stallMs: number, oldestAt: () => number | null, onStall: () => void) {
    this.#clock = clock;
    this.#stallMs = stallMs;
    this.#oldestAt = oldestAt;
    this.#onStall = onStall;
  }

  /** Called whenever something has begun to wait. */
  watch(): void {
    if (this.#cancel !== null) return;
    const oldestAt = this.#oldestAt();
    if (oldestAt === null) return;
    const leftMs = Math.max(1, oldestAt + this.#stallMs - this.#clock.now());
    this.#cancel = this.#clock.after(leftMs, () => this.#look());
  }

  #look(): void {
    this.#cancel = null;
    const oldestAt = this.#oldestAt();
    if (oldestAt !== null && this.#clock.now() - oldestAt >= this.#stallMs) this.#onStall();
    else this.watch();
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
