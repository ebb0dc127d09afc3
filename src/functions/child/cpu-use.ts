import type { Used } from "../pool/messages.ts";

/** Less than this in one report is not worth a message. */
const WORTH_REPORTING_MS = 5;

/**
 * Divides the CPU time of this process among its isolates. V8 says only how long a thread was inside one, and on a busy
 * machine a thread also waits there. So each gets a share of what the process has used, and no more than its time inside.
 */
export class CpuUse {
  readonly #processMs: () => number;
  #insideMs = new Map<string, number>();
  #usedMs: number;

  constructor(processMs = cpuMsOfProcess) {
    this.#processMs = processMs;
    this.#usedMs = processMs();
  }

  add(isolate: string, insideMs: number): void {
    this.#insideMs.set(isolate, (this.#insideMs.get(isolate) ?? 0) + insideMs);
  }

  /** What was used since the last report. */
  report(): Used[] {
    const usedMs = this.#processMs();
    const sinceMs = usedMs - this.#usedMs;
    this.#usedMs = usedMs;
    const inside = [...this.#insideMs];
    this.#insideMs = new Map();
    const allMs = inside.reduce((sum, [, ms]) => sum + ms, 0);
    const share = Math.min(1, sinceMs / Math.max(1, allMs));
    return inside
      .map(([isolate, ms]): Used => ({ isolate, cpuMs: Math.round(ms * share) }))
      .filter(({ cpuMs }) => cpuMs >= WORTH_REPORTING_MS);
  }
}

function cpuMsOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
