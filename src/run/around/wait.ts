import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { PlannedCall, Wait } from "../ports.ts";

export interface RealWait extends Wait {
  /**
   * For a service that is told to stop: calls that wait for an order end at once, because a later run can ask for its
   * result. Other calls go on: what they have done could not be resumed.
   */
  endForOrders(): void;
}

/** Lets time pass. */
export function createWait(clock: Clock): RealWait {
  const underWay = new Map<() => void, PlannedCall>();
  let isStopping = false;

  const wait: Wait = (call, ms) => {
    const problem = noUseInWaiting(call, clock.now() + ms);
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
        underWay.delete(stop);
        signal.removeEventListener("abort", stop);
      };
      underWay.set(stop, call);
      signal.addEventListener("abort", stop, { once: true });
    });
  };
  return Object.assign(wait, {
    endForOrders() {
      isStopping = true;
      // This removes each from the map, which is allowed while iterating over it.
      for (const [stop, call] of underWay) if (call.order !== null) stop();
    },
  });
}

/** Why waiting until then is pointless: nothing could be sent afterwards. `null` if it is not. */
export function noUseInWaiting(call: PlannedCall, until: number): Fault | null {
  if (!call.maySend) return new Fault("source.stopped");
  return until >= call.deadlineAt ? new Fault("source.pending") : null;
}
