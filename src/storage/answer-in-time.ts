import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import type { Engine } from "./engine.ts";

/** What a request waits for the store at the most. */
export const LOOKUP_MS_MAX = 500;

/**
 * Asks the store on behalf of a request. Whatever is wrong with the store, it is the one fault and comes in time; the
 * question itself is left to end by the engine's own limits.
 * @throws Fault `request.store_unavailable`
 */
export async function answerInTime<Value>(engine: Engine, clock: Clock, ask: () => Promise<Value>): Promise<Value> {
  let cancel = (): void => {};
  const tooLate = new Promise<never>((_, reject) => {
    cancel = clock.after(LOOKUP_MS_MAX, () => {
      // Where it was this process that was slow, the answer has come and lies behind the timer.
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
