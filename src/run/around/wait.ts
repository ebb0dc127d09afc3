import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { PlannedCall, Wait } from "../ports.ts";

/** Lets time pass. */
export function createWait(clock: Clock): Wait {
  return (call, ms) => {
    const problem = noUseInWaiting(call, clock.now() + ms);
    if (problem !== null) return Promise.reject(problem);
    const { signal } = call;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(ms, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      const stop = () => {
        cancel();
        reject(new Fault("source.stopped"));
      };
      signal.addEventListener("abort", stop, { once: true });
    });
  };
}

/** Why waiting until then is pointless: nothing could be sent afterwards. `null` if it is not. */
export function noUseInWaiting(call: PlannedCall, until: number): Fault | null {
  if (!call.maySend) return new Fault("source.stopped");
  return until >= call.deadlineAt ? new Fault("source.pending") : null;
}
