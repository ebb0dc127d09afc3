import type { Clock } from "../../terms/time/clock.ts";
import type { CallMiddleware } from "../ports.ts";
import { withBudgets } from "./find-budgets.ts";
import { withInputs } from "./check-inputs.ts";
import type { Budgets } from "./ports.ts";
import { withRegion } from "./region.ts";

export interface VendorMiddlewareParts {
  readonly credential: CallMiddleware;
  /** Without budgets, nothing is reserved: for calls that reach no vendor. */
  readonly budgets?: Budgets | undefined;
  /** The steps with state that the calls of a service share: breakers and limits. */
  readonly amongCalls?: readonly CallMiddleware[];
  readonly deadline: CallMiddleware;
}

/** The middleware of calls to real vendors, outermost first, for a service and for a command that makes one call. */
export function vendorMiddleware(
  { credential, budgets, amongCalls = [], deadline }: VendorMiddlewareParts,
  clock: Clock,
): readonly CallMiddleware[] {
  return [
    withRegion,
    withInputs,
    credential,
    ...(budgets === undefined ? [] : [withBudgets(budgets, clock)]),
    ...amongCalls,
    deadline,
  ];
}
