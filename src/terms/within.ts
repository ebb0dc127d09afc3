import type { Clock } from "./clock.ts";

/** The result of a promise, or a rejection with the error from `late` after that time. The awaited work continues. */
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

/** Whether a promise settles within that time, either way. Never rejects. */
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
