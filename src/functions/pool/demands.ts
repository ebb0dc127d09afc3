import { BoundedMap } from "../../terms/bounded-map.ts";
import type { Clock } from "../../terms/clock.ts";

/** An organization's function that uses more than this, in the long run, is moved away from the others. */
const CPU_MS_PER_S = 250;
/** What it may use beyond that for once. */
const CPU_MS_AT_ONCE = 1_000;
/** For so long after it was last seen to use much. */
const REMEMBERED_MS = 600_000;
/** Isolate keys that are remembered. */
const KEYS_MAX = 10_000;

interface Demand {
  /** A bucket from which `CPU_MS_PER_S` runs out. */
  cpuMs: number;
  countedAt: number;
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

  usedCpu(isolate: string, cpuMs: number): void {
    const now = this.#clock.now();
    const demand = this.#of(isolate);
    const leftMs = Math.max(0, demand.cpuMs - ((now - demand.countedAt) / 1_000) * CPU_MS_PER_S);
    demand.cpuMs = Math.min(2 * CPU_MS_AT_ONCE, leftMs + cpuMs);
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
    return this.#demands.getOrMake(isolate, () => ({ cpuMs: 0, countedAt: now, muchCpuUntil: 0, muchMemoryUntil: 0 }));
  }
}
