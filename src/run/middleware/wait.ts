import type { Clock } from "../../terms/time/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { PlannedCall, Wait } from "../ports.ts";

export interface StoppableWait extends Wait {
  /**
   * Called when a service begins to stop. Calls that wait for an order end at once, because a later run can fetch its
   * result. Other calls continue, because their work could not be resumed.
   */
  endForOrders(): void;
}

/** Creates the waiting of real calls. */
export function createWait(clock: Clock): StoppableWait {
  const waitingCalls = new Map<() => void, PlannedCall>();
  let isStopping = false;

  const wait: Wait = (call, ms) => {
    const problem = whyWaitingIsUseless(call, clock.now() + ms);
    if (problem !== null) return Promise.reject(problem);
    if (isStopping && call.order !== null) return Promise.reject(new Fault("source.stopped"));
    const { signal } = call;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(ms, () => {
        leave();
        resolve();
      });
      const stop = () => {
        cancel();
        leave();
        reject(new Fault("source.stopped"));
      };
      const leave = () => {
        waitingCalls.delete(stop);
        signal.removeEventListener("abort", stop);
      };
      waitingCalls.set(stop, call);
      signal.addEventListener("abort", stop, { once: true });
    });
  };
  return Object.assign(wait, {
    endForOrders() {
      isStopping = true;
      // `stop` removes its entry from the map, which is allowed during the iteration.
      for (const [stop, call] of waitingCalls) if (call.order !== null) stop();
    },
  });
}

/** The fault if nothing could be sent after waiting until `until`; otherwise `null`. */
export function whyWaitingIsUseless(call: PlannedCall, until: number): Fault | null {
  if (!call.maySend) return new Fault("source.stopped");
  return until >= call.deadlineAt ? new Fault("source.pending") : null;
}
