import type { Clock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import { answeredWithin } from "../terms/time/within.ts";
import type { Engine } from "./engine.ts";

/** The longest time that a request waits for the store. */
export const LOOKUP_MS_MAX = 500;

/**
 * Queries the store for a request. Every problem of the store becomes the same fault, within the time limit. The query
 * itself ends by the engine's own limits.
 * @throws Fault `request.store_unavailable`
 */
export async function answerInTime<Value>(engine: Engine, clock: Clock, ask: () => Promise<Value>): Promise<Value> {
  const tooLate = () => new Error(`no answer within ${LOOKUP_MS_MAX} ms`);
  try {
    return await answeredWithin(clock, LOOKUP_MS_MAX, engine.ready().then(ask), tooLate);
  } catch (error) {
    throw new Fault("request.store_unavailable", {}, { cause: error });
  }
}
