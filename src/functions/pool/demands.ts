import { BoundedMap } from "../../terms/bounded-map.ts";
import type { Clock } from "../../terms/clock.ts";

/** An organization's function that uses more than this, in the long run, is moved away from the others. */
const CPU_MS_PER_S = 250;
/** What it may use beyond that for once. */
const CPU_MS_AT_ONCE = 1_000;
/** For so long after it was last seen to use much. */
const REMEMBERED_MS = 600_000;
/** So long after its first run it is measured, or longer if it uses more than its part meanwhile. */
const TRIAL_MS = 500;
const TRIAL_MS_MAX = 5_000;
/** What may be left in the bucket of one that uses no more than its part: reports come several times a second. */
const CPU_MS_LEFT = 100;
/** Isolate keys that are remembered. */
const KEYS_MAX = 10_000;

interface Demand {
  /** A bucket from which `CPU_MS_PER_S` runs out. */
  cpuMs: number;
  countedAt: number;
  /** When it was first run, or first after what it needed was forgotten. */
  begunAt: number;
  muchCpuUntil: number;
  muchMemoryUntil: number;
}

/**
 * Which functions need much CPU time or memory, as measured, by organization and bundle. Nobody is blamed for it: their
 * runs go on, in processes where they cost other organizations nothing.
 */
export class Demands {
  readonly #clock: Clock;
  readonly #demands = new BoundedMap<string, Demand>(KEYS_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Its run had to be ended because its process used too much memory. */
  tookMemory(isolate: string): void {
    this.#of(isolate).muchMemoryUntil = this.#clock.now() + REMEMBERED_MS;
  }

  /** It is run. */
  began(isolate: string): void {
    const now = this.#clock.now();
    const demand = this.#of(isolate);
    if (isForgotten(demand, now)) [demand.begunAt, demand.muchCpuUntil] = [now, 0];
  }

  /** Whether it may still turn out to use much CPU time, because it has not been run for long. */
  isNew(isolate: string): boolean {
    const now = this.#clock.now();
    const demand = this.#demands.get(isolate);
    if (demand === undefined || isForgotten(demand, now)) return true;
    const triedMs = now - demand.begunAt;
    return triedMs < TRIAL_MS || (triedMs < TRIAL_MS_MAX && leftIn(demand, now) > CPU_MS_LEFT);
  }

  usedCpu(isolate: string, cpuMs: number): void {
    const now = this.#clock.now();
    const demand = this.#of(isolate);
    demand.cpuMs = Math.min(2 * CPU_MS_AT_ONCE, leftIn(demand, now) + cpuMs);
    demand.countedAt = now;
    if (demand.cpuMs > CPU_MS_AT_ONCE) demand.muchCpuUntil = now + REMEMBERED_MS;
  }

  needsMemory(isolate: string): boolean {
    return (this.#demands.get(isolate)?.muchMemoryUntil ?? 0) > this.#clock.now();
  }

  needsCpu(isolate: string): boolean {
    return (this.#demands.get(isolate)?.muchCpuUntil ?? 0) > this.#clock.now();
  }

  #of(isolate: string): Demand {
    const now = this.#clock.now();
    const none = { cpuMs: 0, countedAt: now, begunAt: now, muchCpuUntil: 0, muchMemoryUntil: 0 };
    return this.#demands.getOrMake(isolate, () => none);
  }
}

function leftIn({ cpuMs, countedAt }: Demand, now: number): number {
  return Math.max(0, cpuMs - ((now - countedAt) / 1_000) * CPU_MS_PER_S);
}

function isForgotten({ muchCpuUntil }: Demand, now: number): boolean {
  return muchCpuUntil > 0 && muchCpuUntil <= now;
}
