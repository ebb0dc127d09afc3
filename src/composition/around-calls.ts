import type { Budgets, Leases } from "../run/around/ports.ts";
import { callAdapter, compose, type AdapterParts } from "../run/around/adapter.ts";
import { type OpenBreaker, withBreaker } from "../run/around/breaker.ts";
import { withCredential } from "../run/around/credential.ts";
import { withDeadline } from "../run/around/deadline.ts";
import { withInputs } from "../run/around/inputs.ts";
import { realSteps } from "../run/around/real-steps.ts";
import { withSourceLimits } from "../run/around/limits.ts";
import { createWait } from "../run/around/wait.ts";
import { type WatchCalls, withWatch } from "../run/around/watched.ts";
import type { CredentialFinder, Door, RunSource } from "../run/ports.ts";
import { createSkippedWait } from "../simulation/skipped-wait.ts";
import { withMadeUpCredential } from "../simulation/with-made-up-credential.ts";

export interface AroundCallsParts extends AdapterParts {
  readonly finder: CredentialFinder;
  /** This process's leases of the limits that a deployment shares. */
  readonly leaseOf: Leases;
  readonly budgets: Budgets;
  /** The outbound client for calls of simulated workflows. */
  readonly simulatedDoor: Door;
}

export interface AroundCalls {
  readonly runSource: RunSource;
  /** Ends calls that wait for an order: a later run can request its result. */
  endWaitsForOrders(): void;
  /** Ends every call in progress now. */
  endCalls(): void;
  openBreakers(): readonly OpenBreaker[];
  readonly watchCalls: WatchCalls;
}

/** Composes the middleware of a source call, outermost first: one list for real calls, one for simulated ones. */
export function composeAroundCalls(parts: AroundCallsParts): AroundCalls {
  const { finder, clock, door, simulatedDoor, leaseOf, budgets } = parts;
  const credential = withCredential(finder, clock);
  const breaker = withBreaker(clock);
  const deadline = withDeadline(clock);
  const wait = createWait(clock);
  const watched = withWatch(clock);

  const real = compose(
    realSteps({ credential, budgets, amongCalls: [breaker, withSourceLimits(leaseOf, clock)], deadline }, clock),
    callAdapter({ ...parts, door, wait }),
  );
  // Simulated calls do not leave the machine, so every region is allowed. They use no breakers and limits of real
  // calls, because their failures say nothing about real vendors. They cost nothing, so they use no budget.
  const simulated = compose(
    [withInputs, withMadeUpCredential(credential), deadline],
    callAdapter({ ...parts, door: simulatedDoor, wait: createSkippedWait(clock) }),
  );

  return {
    runSource: watched((source, call) => (call.run.intent.simulated ? simulated : real)(source, call)),
    endWaitsForOrders: () => wait.endForOrders(),
    endCalls: () => deadline.endAll(),
    openBreakers: () => breaker.open(),
    watchCalls: watched.watch,
  };
}
