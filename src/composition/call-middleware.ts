import type { Budgets, Leases } from "../run/middleware/ports.ts";
import { callAdapter, composeMiddleware, type AdapterParts } from "../run/middleware/adapter.ts";
import { type OpenBreaker, withBreaker } from "../run/middleware/breaker.ts";
import { withCredential } from "../run/middleware/credential.ts";
import { withDeadline } from "../run/middleware/deadline.ts";
import { withInputs, vendorMiddleware } from "../run/middleware/vendor-middleware.ts";
import { withSourceLimits } from "../run/middleware/source-limits.ts";
import { createWait } from "../run/middleware/wait.ts";
import { type WatchCalls, withWatch } from "../run/middleware/watch.ts";
import type { CredentialFinder, VendorClient, RunSource } from "../run/ports.ts";
import { createSkippedWait } from "../simulation/skipped-wait.ts";
import { withPlaceholderCredential } from "../simulation/made-up-credentials.ts";

export interface CallMiddlewareParts extends AdapterParts {
  readonly finder: CredentialFinder;
  /** This process's leases of the limits that a deployment shares. */
  readonly leaseOf: Leases;
  readonly budgets: Budgets;
  /** The outbound client for calls of simulated workflows. */
  readonly simulatedClient: VendorClient;
}

export interface ComposedCalls {
  readonly runSource: RunSource;
  /** Ends calls that wait for an order: a later run can request its result. */
  endWaitsForOrders(): void;
  /** Ends every call in progress now. */
  endCalls(): void;
  openBreakers(): readonly OpenBreaker[];
  readonly watchCalls: WatchCalls;
}

/** Composes the middleware of a source call, outermost first: one list for real calls, one for simulated ones. */
export function composeCalls(parts: CallMiddlewareParts): ComposedCalls {
  const { finder, clock, simulatedClient, leaseOf, budgets } = parts;
  const credential = withCredential(finder, clock);
  const breaker = withBreaker(clock);
  const deadline = withDeadline(clock);
  const wait = createWait(clock);
  const watched = withWatch(clock);

  const real = composeMiddleware(
    vendorMiddleware({ credential, budgets, amongCalls: [breaker, withSourceLimits(leaseOf, clock)], deadline }, clock),
    callAdapter({ ...parts, wait }),
  );
  // Simulated calls do not leave the machine, so every region is allowed. They use no breakers and limits of real
  // calls, because their failures say nothing about real vendors. They cost nothing, so they use no budget.
  const simulated = composeMiddleware(
    [withInputs, withPlaceholderCredential(credential), deadline],
    callAdapter({ ...parts, client: simulatedClient, wait: createSkippedWait(clock) }),
  );

  return {
    runSource: watched((source, call) => (call.run.intent.simulated ? simulated : real)(source, call)),
    endWaitsForOrders: () => wait.endForOrders(),
    endCalls: () => deadline.endAll(),
    openBreakers: () => breaker.open(),
    watchCalls: watched.watch,
  };
}
