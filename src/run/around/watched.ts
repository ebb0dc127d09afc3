import type { Clock } from "../../terms/clock.ts";
import type { TellEndedCall } from "../../terms/ended-call.ts";
import type { Around, PlannedCall } from "../ports.ts";

/** Reports each finished call of the token's runs. Call the returned function to stop. */
export type WatchCalls = (tokenId: string, tell: TellEndedCall) => () => void;

/**
 * The outermost step. It reports the end of each call, so that a person who waits for a run sees which of its calls have
 * ended, long before the slowest has. Runs that are not watched are almost all runs, and cost nothing.
 */
export function withWatch(clock: Clock): Around & { readonly watch: WatchCalls } {
  const watched = new Map<string, TellEndedCall>();

  function told(call: PlannedCall, success: boolean, match: boolean): void {
    const tookMs = Math.round(clock.now() - call.startedAt);
    watched.get(call.run.caller.tokenId)?.({ source: call.id, success, match, tookMs });
  }
  const around: Around = (next) => (source, call) => {
    const answering = next(source, call);
    if (!watched.has(call.run.caller.tokenId)) return answering;
    void answering.then(
      ({ match }) => told(call, true, match),
      () => told(call, false, false),
    );
    return answering;
  };
  return Object.assign(around, {
    watch: (tokenId: string, tell: TellEndedCall) => {
      watched.set(tokenId, tell);
      return () => void watched.delete(tokenId);
    },
  });
}
