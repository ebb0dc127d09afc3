import type { PlannedCall } from "../../run/ports.ts";
import type { Clock } from "../../terms/clock.ts";
import { type Hold, TURN_FROM_BYTES } from "../../terms/json.ts";
import { LoopTurns } from "../../terms/loop-turns.ts";
import type { OutboundLimits } from "../limits.ts";
import { LONG_TURN_FROM_BYTES, type LongTurns } from "./long-turns.ts";
import { ReadAhead } from "./read-ahead.ts";

/** A body that has come, and whose source waits for it. */
export interface Arrived {
  readonly bytes: Buffer;
  readonly call: PlannedCall;
  /** Asked for the memory that its value takes. */
  readonly hold: Hold;
  /** Whether the exchange has been settled while its turn had not come: then nobody waits any more. */
  readonly isSettled: () => boolean;
}

interface TurnNeeds {
  readonly clock: Clock;
  readonly limits: OutboundLimits;
  readonly longTurns: LongTurns;
}

/**
 * Hands a reply on when its source may use the thread, because what sources do with dozens of replies that arrive
 * together must not add up. A small one is handed on at once, a larger one shares a turn of the event loop with others,
 * and a very large one has turns of its own, in which it is read ahead.
 */
export function takeTurn(
  { bytes, call, hold, isSettled }: Arrived,
  { clock, limits, longTurns }: TurnNeeds,
  handOn: (ahead: ReadAhead | null) => void,
): void {
  const owner = call.run.caller.organizationId;
  if (bytes.length < LONG_TURN_FROM_BYTES) {
    const entering = bytes.length < TURN_FROM_BYTES ? undefined : LoopTurns.of(clock).enter(owner);
    if (entering === undefined) handOn(null);
    else
      void entering.then(() => {
        if (!isSettled()) handOn(null);
      });
    return;
  }
  const ahead = ReadAhead.of(bytes, limits, hold, (gone) => call.drop(gone));
  longTurns.add(owner, {
    isAlone: () => call.run.held.isAlone,
    take: () => {
      if (isSettled()) return false;
      if (ahead?.next() === true) return true;
      handOn(ahead);
      return false;
    },
  });
}
