import type { Clock } from "../../terms/clock.ts";
import { Fault, faultOfDeadline } from "../../terms/fault.ts";
import type { Answer, Around, PlannedCall } from "../ports.ts";
import { LinkedList } from "../../terms/linked-list.ts";
import { within } from "../../terms/within.ts";

/**
 * Ends a call at its absolute deadline, whatever its adapter does: an adapter that ignores its signal is abandoned, its
 * later actions have no effect, and it can send nothing more. `endAll` ends every call in progress in this way and refuses
 * new ones, when the time that a service has to stop is over.
 */
export function withDeadline(clock: Clock): Around & { endAll(): void } {
  const underWay = new LinkedList<() => void>();
  let over = false;

  const around: Around = (next) => (source, call) => {
    // A function may still make calls after `endAll`.
    if (over) return Promise.reject(new Fault("source.stopped"));
    return new Promise<Answer>((resolve, reject) => {
      const end = (fault: Fault) => {
        leave();
        call.end(fault);
        reject(fault);
      };
      const cancel = clock.after(Math.max(0, call.deadlineAt - clock.now()), () => {
        end(faultOfDeadline(call));
      });
      const link = underWay.add(() => {
        end(new Fault(call.order === null ? "source.abandoned" : "source.pending"));
      });
      const leave = () => {
        underWay.remove(link);
        cancel();
      };
      next(source, call).then(
        (answer) => {
          leave();
          resolve(answer);
        },
        (thrown: unknown) => {
          leave();
          reject(thrown);
        },
      );
    });
  };
  return Object.assign(around, {
    endAll() {
      over = true;
      // Each call removes itself from the list.
      for (let abandon = underWay.first; abandon !== undefined; abandon = underWay.first) abandon();
    },
  });
}

/** Awaits a value that a call needs before its adapter runs, until its deadline at most. Nothing has been sent by then. */
export function beforeDeadline<Value>(call: PlannedCall, clock: Clock, waited: Promise<Value>): Promise<Value> {
  return within(clock, Math.max(0, call.deadlineAt - clock.now()), waited, () => faultOfDeadline(call));
}
