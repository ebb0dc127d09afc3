import { callAdapter, compose, type AdapterParts } from "../run/around/adapter.ts";
import { withBreaker } from "../run/around/breaker.ts";
import { withCredential } from "../run/around/credential.ts";
import { withDeadline } from "../run/around/deadline.ts";
import { withInputs } from "../run/around/inputs.ts";
import { withSourceLimits } from "../run/around/limits.ts";
import type { CredentialFinder, Door, RunSource } from "../run/ports.ts";
import { createSkippedWait } from "../simulation/skipped-wait.ts";
import { withMadeUpCredential } from "../simulation/with-made-up-credential.ts";

export interface AroundCallsParts extends AdapterParts {
  readonly finder: CredentialFinder;
  /** Where the calls of simulated workflows end. */
  readonly simulatedDoor: Door;
}

export interface AroundCalls {
  readonly runSource: RunSource;
  /** Every call under way ends now. */
  endCalls(): void;
  openBreakers(): number;
}

/** What happens around one source call, outermost first: once for real calls, and once for simulated ones. */
export function composeAroundCalls(parts: AroundCallsParts): AroundCalls {
  const { finder, clock, door, simulatedDoor } = parts;
  const credential = withCredential(finder, clock);
  const breaker = withBreaker(clock);
  const deadline = withDeadline(clock);

  const real = compose(
    [withInputs, credential, breaker, withSourceLimits(clock), deadline],
    callAdapter({ ...parts, door }),
  );
  // What an invented vendor is made to do says nothing of the real one: no breaker, and no limit, is shared with it.
  const simulated = compose(
    [withInputs, withMadeUpCredential(credential), deadline],
    callAdapter({ ...parts, door: simulatedDoor, wait: createSkippedWait(clock) }),
  );

  return {
    runSource: (source, call) => (call.run.intent.simulated ? simulated : real)(source, call),
    endCalls: () => deadline.endAll(),
    openBreakers: () => breaker.openCount(),
  };
}
