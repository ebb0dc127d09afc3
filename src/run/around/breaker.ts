import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { SharedMap } from "../../terms/shared-map.ts";
import { Breaker } from "../breaker.ts";
import type { Around, PlannedCall } from "../ports.ts";

const BREAKERS_MAX = 10_000;
/** The kinds of failure that say something about the vendor. Bad inputs, credentials and rates do not. */
const VENDOR_FAILED = new Set(["unreachable", "timeout", "connection_lost", "vendor_5xx"]);

/** A breaker for each source and credential; where there is no credential, for each source and organization. */
export function withBreaker(clock: Clock): Around & { openCount(): number } {
  const breakers = new SharedMap<Breaker>(BREAKERS_MAX);

  const around: Around = (next) => (source, call) => {
    // What a simulated vendor is made to do says nothing of the real one, whose calls may share the key.
    if (!source.leavesMachine || call.run.simulated) return next(source, call);
    const breaker = breakers.getOrMake(call.run.caller.organizationId, keyOf(call), () => new Breaker());
    const era = breaker.admit(clock.now());
    if (era === null) return Promise.reject(new Fault("source.breaker_open"));
    return next(source, call).then(
      (answer) => {
        breaker.ended(era, clock.now(), false);
        return answer;
      },
      (thrown: unknown) => {
        breaker.ended(era, clock.now(), verdict(thrown, call));
        throw thrown;
      },
    );
  };
  return Object.assign(around, { openCount: () => [...breakers.values()].filter(({ isOpen }) => isOpen).length });
}

/** Whether the vendor failed; `undefined` when the call never got as far as the vendor. */
function verdict(thrown: unknown, call: PlannedCall): boolean | undefined {
  const kind = thrown instanceof Fault ? thrown.row.kind : "adapter";
  if (VENDOR_FAILED.has(kind)) return true;
  return call.attempts.length > 0 ? false : undefined;
}

function keyOf(call: PlannedCall): string {
  return `${call.id}|${call.credential?.scope ?? call.run.caller.organizationId}`;
}
