import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import type { Engine } from "./engine.ts";

/** The longest time that a request waits for the store. */
export const LOOKUP_MS_MAX = 500;

/**
 * Asks the store on behalf of a request. Every problem with the store becomes the same fault, and in time; the query
 * itself is left to the engine's own limits.
 * @throws Fault `request.store_unavailable`
 */
export async function answerInTime<Value>(engine: Engine, clock: Clock, ask: () => Promise<Value>): Promise<Value> {
  let cancel = (): void => {};
  const tooLate = new Promise<never>((_, reject) => {
    cancel = clock.after(LOOKUP_MS_MAX, () => {
      // If it was this process that was slow, the answer has arrived and is handled after the timer but before this.
      setImmediate(() => reject(new Error(`no answer within ${LOOKUP_MS_MAX} ms`)));
    });
  });
  try {
    return await Promise.race([engine.ready().then(ask), tooLate]);
  } catch (error) {
    throw new Fault("request.store_unavailable", {}, { cause: error });
  } finally {
    cancel();
  }
}
