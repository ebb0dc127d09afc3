import { apply, max, min, NativePromise } from "./intrinsics.ts";
import type { SteadyClock } from "./steady-clock.ts";
import { ALARMS_MAX, TIMERS_MAX } from "./bridge-limits.ts";

interface Timer {
  readonly id: number;
  at: number;
  readonly everyMs: number | null;
  readonly callback: (...args: unknown[]) => unknown;
  readonly args: unknown[];
}

const DELAY_MAX_MS = 60_000;

/**
 * `setTimeout` and the other timer functions, for the duration of the run. All timers of a run share one alarm outside
 * the isolate, so many cost no more than one. Returns the function to call when the alarm fires.
 */
export function installTimers(
  scope: Record<string, unknown>,
  { now, reach }: SteadyClock,
  setAlarm: (delayMs: number) => void,
  raise: (thrown: unknown) => void,
): () => void {
  const timers: Record<number, Timer | undefined> = { __proto__: null } as never;
  let count = 0;
  let lastId = 0;
  let alarms = 0;
  let alarmAt = Infinity;

  function arm(at: number): void {
    if (at >= alarmAt) return;
    alarms += 1;
    if (alarms > ALARMS_MAX) throw new RangeError("a run may set timers at most 10,000 times");
    alarmAt = at;
    setAlarm(max(1, at - now()));
  }

  function add(callback: unknown, delay: unknown, repeats: boolean, args: unknown[]): number {
    if (typeof callback !== "function") throw new TypeError("a timer needs a function");
    if (count >= TIMERS_MAX) throw new RangeError("a run may have at most 100 timers pending");
    const delayMs = min(DELAY_MAX_MS, max(1, Number(delay) || 1));
    const timer: Timer = {
      id: (lastId += 1),
      at: now() + delayMs,
      everyMs: repeats ? delayMs : null,
      callback: callback as Timer["callback"],
      args,
    };
    timers[timer.id] = timer;
    count += 1;
    arm(timer.at);
    return timer.id;
  }

  function remove(id: unknown): void {
    if (typeof id !== "number" || timers[id] === undefined) return;
    delete timers[id];
    count -= 1;
  }

  function guarded(callback: (...args: unknown[]) => unknown, args: unknown[]): void {
    try {
      apply(callback, undefined, args);
    } catch (thrown) {
      raise(thrown);
    }
  }

  /** The earliest timer due by then; of two with the same time, the one set first. */
  function firstDue(by: number): Timer | undefined {
    let first: Timer | undefined;
    for (const key in timers) {
      const timer = timers[key as unknown as number]!;
      if (timer.at <= by && (first === undefined || timer.at < first.at)) first = timer;
    }
    return first;
  }

  function wake(): void {
    if (alarmAt < Infinity) reach(alarmAt);
    alarmAt = Infinity;
    const reached = now();
    for (let timer = firstDue(reached); timer !== undefined; timer = firstDue(reached)) {
      if (timer.everyMs === null) remove(timer.id);
      else timer.at = max(now(), reached) + timer.everyMs;
      guarded(timer.callback, timer.args);
    }
    let next = Infinity;
    for (const key in timers) next = min(next, timers[key as unknown as number]!.at);
    try {
      if (next < Infinity) arm(next);
    } catch (thrown) {
      raise(thrown);
    }
  }

  const setTimeout = (callback: unknown, delay?: unknown, ...args: unknown[]) => add(callback, delay, false, args);
  const setInterval = (callback: unknown, delay?: unknown, ...args: unknown[]) => add(callback, delay, true, args);
  const setImmediate = (callback: unknown, ...args: unknown[]) => add(callback, 0, false, args);
  scope.setTimeout = setTimeout;
  scope.setInterval = setInterval;
  scope.setImmediate = setImmediate;
  scope.clearTimeout = remove;
  scope.clearInterval = remove;
  scope.clearImmediate = remove;
  function queueMicrotask(callback: unknown): void {
    if (typeof callback !== "function") throw new TypeError("queueMicrotask needs a function");
    void later(callback as () => unknown);
  }
  scope.queueMicrotask = queueMicrotask;
  async function later(callback: () => unknown): Promise<void> {
    await new NativePromise<void>((resolve) => resolve());
    guarded(callback, []);
  }
  return wake;
}
