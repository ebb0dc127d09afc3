import { Client, type ClientConfig } from "pg";
import type { Clock } from "../../terms/time/clock.ts";
import type { ServerSession } from "./storable-pool.ts";

export const CHANNEL = "datarun_changes";

/**
 * Frequent enough to notice a change within a second without notifications, as behind a pooler, and to detect a
 * connection that was lost silently.
 */
const CHECK_EVERY_MS = 500;
const RETRY_MS = 100;
const RETRY_MS_MAX = 1_000;

/**
 * The number of the last change by any process, read over a separate connection. Without a connection the number stays
 * the same, and cached entries expire by the cache's own limits.
 */
export class ChangeFeed {
  readonly #options: ClientConfig;
  readonly #route: ServerSession;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #run: Promise<void> | null = null;
  #changes = 0;
  #watching = false;

  constructor(options: ClientConfig, route: ServerSession, clock: Clock) {
    this.#options = options;
    this.#route = route;
    this.#clock = clock;
  }

  get changes(): number {
    return this.#changes;
  }

  get watching(): boolean {
    return this.#watching;
  }

  /** Starts the feed, once. A process that needs no version needs no connection. */
  start(): void {
    this.#run ??= this.#watch();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#run;
  }

  async #watch(): Promise<void> {
    let delayMs = RETRY_MS;
    while (!this.#closing.signal.aborted) {
      const lasted = await this.#watchOnce();
      this.#watching = false;
      delayMs = lasted ? RETRY_MS : Math.min(delayMs * 2, RETRY_MS_MAX);
      await pause(this.#clock, delayMs, this.#closing.signal);
    }
  }

  /** Follows changes over one connection until it fails. Returns whether it ever worked. */
  async #watchOnce(): Promise<boolean> {
    let worked = false;
    const client = new Client(this.#options);
    const broken = new Promise<never>((_, reject) => {
      client.on("error", reject);
      client.on("end", () => reject(new Error("the connection has ended")));
    });
    // Awaited only between two reads, so a rejection before that must not count as unhandled.
    broken.catch(() => {});
    client.on("notification", ({ payload }) => this.#setChanges(Number(payload)));
    try {
      await client.connect();
      // With a pooler, the next client of that server session would get the notifications.
      if (this.#route.isDirect === true) await client.query(`listen ${CHANNEL}`);
      while (!this.#closing.signal.aborted) {
        const { rows } = await client.query<{ changes: number }>("select changes from datarun_changes where id = 1");
        this.#setChanges(rows[0]?.changes ?? 0);
        worked = true;
        this.#watching = true;
        await Promise.race([pause(this.#clock, CHECK_EVERY_MS, this.#closing.signal), broken]);
      }
    } catch {
      // The remedy for every failure is the next connection; `watching` shows how long there has been none.
    }
    // Does not wait for a server that does not answer.
    client.end().catch(() => {});
    return worked;
  }

  #setChanges(changes: number): void {
    if (Number.isSafeInteger(changes)) this.#changes = changes;
  }
}

/** Ends early when the signal is aborted. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal.addEventListener("abort", end);
  });
}
