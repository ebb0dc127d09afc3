import type { Clock } from "./clock.ts";
import { whenSilent } from "./when-silent.ts";

/** The result of a promise; after `limitMs`, a rejection with the error from `late`. The awaited work continues. */
export function withTimeout<Value>(
  clock: Clock,
  limitMs: number,
  promise: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  return settling((end) => clock.after(limitMs, end), promise, late);
}

/**
 * The same for an answer of another process, if the caller can wait a little longer: only time in which this process
 * ran counts. An answer that arrived while this process was suspended is accepted.
 */
export function answeredWithin<Value>(
  clock: Clock,
  limitMs: number,
  promise: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  return settling((end) => whenSilent(clock, limitMs, end), promise, late);
}

function settling<Value>(
  wait: (end: () => void) => () => void,
  promise: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = wait(() => reject(late()));
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

/** Whether a promise settles within `limitMs`, either way. Never rejects. */
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
