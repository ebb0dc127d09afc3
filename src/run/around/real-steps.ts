import type { Clock } from "../../terms/clock.ts";
import type { Around } from "../ports.ts";
import { withBudgets } from "./budgets.ts";
import { withInputs } from "./inputs.ts";
import type { Budgets } from "./ports.ts";
import { withRegion } from "./region.ts";

export interface RealSteps {
  readonly credential: Around;
  /** If it is missing, nothing is reserved: for calls that reach no vendor. */
  readonly budgets?: Budgets | undefined;
  /** What calls of a service have in common: breakers and limits. */
  readonly amongCalls?: readonly Around[];
  readonly deadline: Around;
}

/** What happens around a call of a real vendor, outermost first, whether a service makes it or one command. */
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
