import type { Clock } from "../../terms/clock.ts";
import { Fault, faultOfDeadline } from "../../terms/fault.ts";
import type { Answer, Around, PlannedCall } from "../ports.ts";
import { within } from "../../terms/within.ts";

/**
 * Ends a call at its absolute deadline, whatever its adapter does: an adapter that ignores its signal is abandoned, what
 * it does later changes nothing, and it can send nothing more. `endAll` does so to every call under way and lets no new one
 * begin, for a service whose time to finish is over.
 */
export function withDeadline(clock: Clock): Around & { endAll(): void } {
  const underWay = new Set<(fault: Fault) => void>();
  let over = false;

  const around: Around = (next) => (source, call) => {
    // A function may go on asking after the service's time is over.
    if (over) return Promise.reject(new Fault("source.stopped"));
    return new Promise<Answer>((resolve, reject) => {
      const end = (fault: Fault) => {
        underWay.delete(end);
        cancel();
        call.end(fault);
        reject(fault);
      };
      const cancel = clock.after(Math.max(0, call.deadlineAt - clock.now()), () => {
        end(faultOfDeadline(call));
      });
      underWay.add(end);
      next(source, call).then(
        (answer) => {
          underWay.delete(end);
          cancel();
          resolve(answer);
        },
        (thrown: unknown) => {
          underWay.delete(end);
          cancel();
          reject(thrown);
        },
      );
    });
  };
  return Object.assign(around, {
    endAll() {
      over = true;
      // Ending one takes it out of the set, which a set allows while it is walked.
      for (const end of underWay) end(new Fault("source.abandoned"));
    },
  });
}

/** What a call has to wait for before its adapter runs, until its deadline at the longest. Nothing was sent by then. */
export function beforeDeadline<Value>(call: PlannedCall, clock: Clock, waited: Promise<Value>): Promise<Value> {
  return within(clock, Math.max(0, call.deadlineAt - clock.now()), waited, () => faultOfDeadline(call));
}
