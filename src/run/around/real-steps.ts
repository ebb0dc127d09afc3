import type { Clock } from "../../terms/clock.ts";
import type { Around } from "../ports.ts";
import { withBudgets } from "./budgets.ts";
import { withInputs } from "./inputs.ts";
import type { Budgets } from "./ports.ts";
import { withRegion } from "./region.ts";

export interface RealSteps {
  readonly credential: Around;
  /** Without budgets, nothing is reserved: for calls that reach no vendor. */
  readonly budgets?: Budgets | undefined;
  /** The steps with state that the calls of a service share: breakers and limits. */
  readonly amongCalls?: readonly Around[];
  readonly deadline: Around;
}

/** The middleware of calls to real vendors, outermost first, for a service and for a command that makes one call. */
export function realSteps(
  { credential, budgets, amongCalls = [], deadline }: RealSteps,
  clock: Clock,
): readonly Around[] {
  return [
    withRegion,
    withInputs,
    credential,
    ...(budgets === undefined ? [] : [withBudgets(budgets, clock)]),
    ...amongCalls,
    deadline,
  ];
}
