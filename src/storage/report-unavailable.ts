import { OperatorError } from "../terms/operator-error.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { Engine } from "./engine.ts";
import { problemOf } from "./problem-of.ts";
import { answeredWithin } from "../terms/time/within.ts";

/** The longest wait of an administrator's act for an unavailable store, without the time of a migration. */
const READY_MS_MAX = 5_000;

/**
 * Wraps a port so that each method waits briefly for the store, and fails with a message for operators if the store is
 * unavailable. Requests of clients use `answerInTime` instead.
 */
export function reportUnavailable<Port extends object>(engine: Engine, clock: Clock, port: Port): Port {
  const methods = Object.entries(port) as [string, (...args: unknown[]) => Promise<unknown>][];
  const guarded = methods.map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        await readyInTime(engine, clock);
        return await method(...args);
      } catch (error) {
        if (error instanceof OperatorError) throw error;
        throw new OperatorError("unavailable", `The store could not do this now (${problemOf(error)}).`, {
          cause: error,
        });
      }
    },
  ]);
  return Object.fromEntries(guarded) as Port;
}

async function readyInTime(engine: Engine, clock: Clock): Promise<void> {
  const unavailable = () => new OperatorError("unavailable", engine.health().says ?? "The store does not answer.");
  for (;;) {
    try {
      return await answeredWithin(clock, READY_MS_MAX, engine.ready(), unavailable);
    } catch (error) {
      // The server answers. A migration of a large ledger takes minutes, and has its own limit.
      if (engine.health().state !== "migrating") throw error;
    }
  }
}
