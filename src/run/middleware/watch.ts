import type { Clock } from "../../terms/time/clock.ts";
import type { OnEndedCall } from "../../terms/ended-call.ts";
import type { CallMiddleware, PlannedCall } from "../ports.ts";

/** Reports each finished call of the token's runs. Call the returned function to stop. */
export type WatchCalls = (tokenId: string, onEnd: OnEndedCall) => () => void;

/**
 * The outermost step. It reports the end of each call, so that a person who waits for a run sees which of its calls have
 * ended, long before the slowest has. Runs that are not watched are almost all runs, and cost nothing.
 */
export function withWatch(clock: Clock): CallMiddleware & { readonly watch: WatchCalls } {
  const watched = new Map<string, OnEndedCall>();

  function notify(call: PlannedCall, success: boolean, match: boolean): void {
    const tookMs = Math.round(clock.now() - call.startedAt);
    watched.get(call.run.caller.tokenId)?.({ source: call.id, success, match, tookMs });
  }
  const middleware: CallMiddleware = (next) => (source, call) => {
    const answering = next(source, call);
    if (!watched.has(call.run.caller.tokenId)) return answering;
    void answering.then(
      ({ match }) => notify(call, true, match),
      () => notify(call, false, false),
    );
    return answering;
  };
  return Object.assign(middleware, {
    watch: (tokenId: string, listener: OnEndedCall) => {
      watched.set(tokenId, listener);
      return () => void watched.delete(tokenId);
    },
  });
}
