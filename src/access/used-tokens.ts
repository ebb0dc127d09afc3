import type { Clock } from "../terms/time/clock.ts";
import type { AccessStore } from "./ports.ts";
import { settledWithin } from "../terms/time/within.ts";

const FLUSH_MS = 10_000;
const CLOSE_WAIT_MS = 2_000;

/**
 * Records the last use of each token, and writes the times to the store in batches. A use costs one map write; the
 * timer runs only while times are pending. A failed batch is written again with the next one.
 */
export class UsedTokens {
  readonly #store: Pick<AccessStore, "markUsed">;
  readonly #clock: Clock;
  readonly #pendingMax: number;
  #pending = new Map<string, number>();
  #writing: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(store: Pick<AccessStore, "markUsed">, clock: Clock, pendingMax: number) {
    this.#store = store;
    this.#clock = clock;
    this.#pendingMax = pendingMax;
  }

  get pending(): number {
    return this.#pending.size;
  }

  record(tokenId: string): void {
    if (this.#pending.size >= this.#pendingMax && !this.#pending.has(tokenId)) return;
    this.#pending.set(tokenId, this.#clock.wall());
    this.#arm();
  }

  /** Writes pending times after a batch in progress. Never rejects. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#pending.size === 0) return;
    const batch = this.#pending;
    this.#pending = new Map();
    this.#writing = this.#write(batch);
    await this.#writing;
  }

  /** Flushes a last time, without a time limit, and starts no timer afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await settledWithin(this.#clock, CLOSE_WAIT_MS, this.flush());
  }

  #arm(): void {
    if (this.#closed || this.#cancel !== undefined || this.#writing !== undefined) return;
    this.#cancel = this.#clock.after(FLUSH_MS, () => void this.flush(), "loose");
  }

  async #write(batch: ReadonlyMap<string, number>): Promise<void> {
    try {
      await this.#store.markUsed([...batch].map(([tokenId, wallAt]) => ({ tokenId, wallAt })));
    } catch {
      // The store is down, which its readiness reports. A newer use of the same token is kept.
      for (const [tokenId, wallAt] of batch) if (!this.#pending.has(tokenId)) this.#pending.set(tokenId, wallAt);
    }
    this.#writing = undefined;
    if (this.#pending.size > 0) this.#arm();
  }
}
