import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { Answer, Around } from "../ports.ts";

/**
 * Ends a call at its absolute deadline, whatever its adapter does: an adapter that ignores its signal is abandoned, what
 * it does later changes nothing, and it can send nothing more.
 */
export function withDeadline(clock: Clock): Around {
  return (next) => (source, call) =>
    new Promise<Answer>((resolve, reject) => {
      const cancel = clock.after(Math.max(0, call.deadlineAt - clock.now()), () => {
        call.ended = true;
        reject(new Fault("source.timeout", { afterMs: Math.round(call.deadlineAt - call.startedAt) }));
      });
      next(source, call).then(
        (answer) => {
          cancel();
          resolve(answer);
        },
        (thrown: unknown) => {
          cancel();
          reject(thrown);
        },
      );
    });
}
