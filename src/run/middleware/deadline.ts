import type { Clock } from "../../terms/time/clock.ts";
import { Fault, faultOfDeadline } from "../../terms/fault.ts";
import type { CallResult, CallMiddleware, PlannedCall } from "../ports.ts";
import { LinkedList } from "../../terms/collections/linked-list.ts";
import { withTimeout } from "../../terms/time/within.ts";

/**
 * Ends a call at its absolute deadline, whatever its adapter does: an adapter that ignores its signal is abandoned, its
 * later actions have no effect, and it can send nothing more. `endAll` ends every call in progress in this way and refuses
 * new ones, when the time that a service has to stop is over.
 */
export function withDeadline(clock: Clock): CallMiddleware & { endAll(): void } {
  const activeCalls = new LinkedList<() => void>();
  let isOver = false;

  const middleware: CallMiddleware = (next) => (source, call) => {
    // A function may still make calls after `endAll`.
    if (isOver) return Promise.reject(new Fault("source.stopped"));
    return new Promise<CallResult>((resolve, reject) => {
      const end = (fault: Fault) => {
        leave();
        call.end(fault);
        reject(fault);
      };
      const cancel = clock.after(Math.max(0, call.deadlineAt - clock.now()), () => {
        end(faultOfDeadline(call));
      });
      const link = activeCalls.add(() => {
        end(new Fault(call.order === null ? "source.abandoned" : "source.pending"));
      });
      const leave = () => {
        activeCalls.remove(link);
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
  return Object.assign(middleware, {
    endAll() {
      isOver = true;
      // Each call removes itself from the list.
      for (let abandon = activeCalls.first; abandon !== undefined; abandon = activeCalls.first) abandon();
    },
  });
}

/** Awaits a value that a call needs before its adapter runs, until its deadline at most. Nothing has been sent by then. */
export function beforeDeadline<Value>(call: PlannedCall, clock: Clock, waited: Promise<Value>): Promise<Value> {
  return withTimeout(clock, Math.max(0, call.deadlineAt - clock.now()), waited, () => faultOfDeadline(call));
}
