import type { Clock } from "../../terms/clock.ts";
import { Fault, VENDOR_FAILED } from "../../terms/fault.ts";
import { OwnedMap } from "../../terms/owned-map.ts";
import { Breaker } from "../breaker.ts";
import type { Around, PlannedCall } from "../ports.ts";

const BREAKERS_MAX = 10_000;
const BLAMES_VENDOR: ReadonlySet<string> = new Set(VENDOR_FAILED);

/** A breaker for each source and credential; where there is no credential, for each source and organization. */
export function withBreaker(clock: Clock): Around & { openCount(): number } {
  // Inline credentials are the caller's words: one who makes them up without end forgets breakers of its own.
  const breakers = new OwnedMap<Breaker>(BREAKERS_MAX);

  const around: Around = (next) => (source, call) => {
    if (!source.leavesMachine) return next(source, call);
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
  if (BLAMES_VENDOR.has(kind)) return true;
  return call.attempts.length > 0 ? false : undefined;
}

function keyOf(call: PlannedCall): string {
  return `${call.id}|${call.credential?.scope ?? ""}`;
}
