import type { Clock } from "../../terms/clock.ts";
import { Fault, faultOfDeadline } from "../../terms/fault.ts";
import type { Answer, Around, PlannedCall } from "../ports.ts";
import { within } from "../../terms/within.ts";

/**
 * Ends a call at its absolute deadline, whatever its adapter does: an adapter that ignores its signal is abandoned, its
 * later actions have no effect, and it can send nothing more. `endAll` does this to every call under way and refuses
 * new ones, for a service that has used up its time to stop.
 */
export function withDeadline(clock: Clock): Around & { endAll(): void } {
  const underWay = new Set<() => void>();
  let over = false;

  const around: Around = (next) => (source, call) => {
    // A function may still ask for calls after the service has used up its time to stop.
    if (over) return Promise.reject(new Fault("source.stopped"));
    return new Promise<Answer>((resolve, reject) => {
      const end = (fault: Fault) => {
        underWay.delete(abandon);
        cancel();
        call.end(fault);
        reject(fault);
      };
      const cancel = clock.after(Math.max(0, call.deadlineAt - clock.now()), () => {
        end(faultOfDeadline(call));
      });
      const abandon = () => {
        end(new Fault(call.order === null ? "source.abandoned" : "source.pending"));
      };
      underWay.add(abandon);
      next(source, call).then(
        (answer) => {
          underWay.delete(abandon);
          cancel();
          resolve(answer);
        },
        (thrown: unknown) => {
          underWay.delete(abandon);
          cancel();
          reject(thrown);
        },
      );
    });
  };
  return Object.assign(around, {
    endAll() {
      over = true;
      // This removes each call from the set, which is allowed while iterating over it.
      for (const abandon of underWay) abandon();
    },
  });
}

/** Awaits what a call needs before its adapter runs, until its deadline at most. Nothing has been sent by then. */
export function beforeDeadline<Value>(call: PlannedCall, clock: Clock, waited: Promise<Value>): Promise<Value> {
  return within(clock, Math.max(0, call.deadlineAt - clock.now()), waited, () => faultOfDeadline(call));
}
