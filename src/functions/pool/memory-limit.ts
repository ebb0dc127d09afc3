import type { Clock } from "../../terms/time/clock.ts";
import type { FunctionProcess } from "./function-process.ts";

export interface MemoryLimitParts {
  readonly clock: Clock;
  readonly processes: ReadonlySet<FunctionProcess>;
  /** Called when the process uses more than its limit. */
  readonly exceeded: (process: FunctionProcess, megabytes: number) => void;
  /** Called when the process takes new runs again. */
  readonly relieved: () => void;
}

const CHECK_EVERY_MS = 50;
const MIB = 1_048_576;
/** The share of its limit above which a process disposes of idle isolates and takes no new runs. */
const CROWDED_AT = 3 / 4;

/** Compares the resident memory of each process that has runs with its limit, twenty times a second. */
export class MemoryLimit {
  readonly #parts: MemoryLimitParts;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(parts: MemoryLimitParts) {
    this.#parts = parts;
  }

  /** Call this whenever a run starts. Measuring stops when no process has runs. */
  watch(): void {
    if (this.#cancel !== undefined || this.#stopped) return;
    this.#cancel = this.#parts.clock.after(CHECK_EVERY_MS, () => {
      this.#cancel = undefined;
      const active = [...this.#parts.processes].filter(({ killed, runs }) => !killed && runs.size > 0);
      for (const process of active) this.#check(process);
      if (active.length > 0) this.watch();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #check(process: FunctionProcess): void {
    const megabytes = process.child.rssBytes() / MIB;
    if (megabytes > process.limitMb) return this.#parts.exceeded(process, Math.round(megabytes));
    const before = process.crowded;
    process.crowded = isCrowded(process, megabytes);
    if (process.crowded && !before) process.child.send({ type: "trim" });
    if (before && !process.crowded) this.#parts.relieved();
  }
}

/** @param megabytes the resident memory; default: the current one */
export function isCrowded({ child, limitMb }: FunctionProcess, megabytes = child.rssBytes() / MIB): boolean {
  return megabytes > limitMb * CROWDED_AT;
}
