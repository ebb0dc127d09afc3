import type { Lease, SharedLimit } from "../../run/middleware/ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { FakeClock } from "../../terms/time/clock.kit.ts";
import { openLeases, type OpenLeases } from "./leases.ts";
import type { GrantRule, LeaseAnswer, LeaseAsk, LeaseRow, LeaseStore } from "./ports.ts";

interface KeptRow extends LeaseRow {
  readonly process: string;
}

/** The table of leases, in memory. */
export class MemoryLeases implements LeaseStore {
  readonly #wall: () => number;
  readonly #rows = new Map<string, readonly KeptRow[]>();

  constructor(wall: () => number) {
    this.#wall = wall;
  }

  async exchange(asks: readonly LeaseAsk[], rule: GrantRule): Promise<readonly LeaseAnswer[]> {
    const now = this.#wall();
    return asks.map((ask) => {
      const { name, everyMs } = ask.limit;
      let rows: readonly KeptRow[] = (this.#rows.get(name) ?? []).filter(({ endsAt }) => endsAt + (everyMs ?? 0) > now);
      const grants = rule(ask, rows, now);
      for (const grant of grants) rows = withRow(rows, { ...grant, process: ask.process });
      this.#rows.set(name, rows);
      return { now, grants };
    });
  }

  async freeUnits(process: string, start: string): Promise<void> {
    const isOld = (row: KeptRow) => row.process === process && row.window < 0 && row.lease < start;
    for (const [name, rows] of this.#rows)
      this.#rows.set(
        name,
        rows.filter((row) => !isOld(row)),
      );
  }

  /** Leased units of a window. */
  leased(name: string, window: number): number {
    const rows = (this.#rows.get(name) ?? []).filter((row) => row.window === window && row.endsAt > this.#wall());
    return rows.reduce((sum, { amount }) => sum + amount, 0);
  }
}

function withRow(rows: readonly KeptRow[], row: KeptRow): readonly KeptRow[] {
  const known = rows.find(({ lease, window }) => lease === row.lease && window === row.window);
  if (known !== undefined && known.sequence >= row.sequence) return rows;
  return [...rows.filter((other) => other !== known), row];
}

const LATE_MS_MAX = 3_000;

/** The leases of a deployment of one process. */
export function leasesInMemory(clock: Clock, store: LeaseStore = new MemoryLeases(clock.wall)): OpenLeases {
  return openLeases({ clock, store, process: () => "p1", start: "s1" });
}

/** The same numbers for the same seed, in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Weather {
  readonly random: () => number;
  /** The probability that a message to or from the store is lost, and the maximum delay of a message. */
  loss: number;
  readonly delayMsMax: number;
}

/** One process of a simulated deployment, with its own clock and its own network. */
export class Replica {
  readonly leases: OpenLeases;
  readonly lease: Lease;
  readonly clock: Clock;
  isCutOff = false;
  isAlive = true;
  inUse = 0;
  used = 0;
  readonly #true: FakeClock;
  readonly #limit: SharedLimit;
  readonly #used: () => void;
  #waiting: { readonly useMs: number; readonly goneAt: number }[] = [];

  /** @param used called for each taken unit, at that moment */
  constructor(
    parts: { clock: FakeClock; store: LeaseStore; limit: SharedLimit; weather: Weather; speed: number },
    ids: { process: string; start: string },
    used: () => void,
  ) {
    const { clock, store, limit, weather, speed } = parts;
    this.#true = clock;
    this.#limit = limit;
    this.#used = used;
    const offset = weather.random() * 1e6;
    this.clock = {
      now: () => offset + clock.now() * speed,
      wall: () => clock.wall() + offset,
      after: (delayMs, callback) => clock.after(delayMs / speed, () => this.isAlive && callback()),
    };
    const { process, start } = ids;
    this.leases = openLeases({ clock: this.clock, store: this.#across(store, weather), process: () => process, start });
    this.lease = this.leases.leaseOf(limit, "anyone");
    this.lease.onChange(() => this.serve());
  }

  /** A call arrives that uses a unit for `useMs`, and waits for one for at most a second. */
  call(useMs: number): void {
    this.#waiting.push({ useMs, goneAt: this.clock.now() + 1_000 });
    this.serve();
  }

  serve(): void {
    const now = this.clock.now();
    this.#waiting = this.#waiting.filter(({ goneAt }) => goneAt > now);
    while (this.#waiting.length > 0) {
      const { useMs } = this.#waiting[0]!;
      const window = this.lease.take(now, now + this.#limit.useMsMax);
      if (window === null) break;
      this.#waiting.shift();
      this.inUse += 1;
      this.used += 1;
      this.#used();
      this.#true.after(useMs, () => {
        if (!this.isAlive) return;
        this.inUse -= 1;
        if (this.#limit.everyMs === null) this.lease.give(window);
        this.serve();
      });
    }
    this.lease.reportDemand(this.#waiting.length, this.#waiting.length);
  }

  /** Like `kill -9`: its connections end with it. */
  crash(): void {
    this.isAlive = false;
    this.inUse = 0;
  }

  #across(store: LeaseStore, weather: Weather): LeaseStore {
    const { random, delayMsMax } = weather;
    const isLost = () => this.isCutOff || random() < weather.loss;
    const pass = () => new Promise<void>((resolve) => void this.#true.after(random() * delayMsMax, resolve));
    const never = new Promise<never>(() => {});
    const carry = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (isLost()) {
        // Some messages arrive after their sender has stopped waiting for an answer.
        if (random() < 0.5) this.#true.after(random() * LATE_MS_MAX, () => void work());
        return never;
      }
      await pass();
      let result = await work();
      if (isLost()) {
        if (random() < 0.5) return never;
        // An intermediary repeats a message without an answer and forwards the second answer.
        await pass();
        result = await work();
      }
      await pass();
      return result;
    };
    return {
      exchange: (asks, rule) => carry(() => store.exchange(asks, rule)),
      freeUnits: (process, start) => carry(() => store.freeUnits(process, start)),
    };
  }
}
