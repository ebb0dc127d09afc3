import type { Clock } from "./clock.ts";

/** What a promise gives, or a rejection with what `late` makes of it after that time. What was waited for goes on. */
export function within<Value>(
  clock: Clock,
  limitMs: number,
  promise: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => reject(late()));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (thrown: unknown) => {
        cancel();
        reject(thrown);
      },
    );
  });
}

/** Whether a promise has settled in that time, either way. Never rejects. */
export function settledWithin(clock: Clock, limitMs: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(limitMs, () => resolve(false));
    const settled = () => {
      cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
