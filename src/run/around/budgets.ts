import type { Budgets, CallBudgets } from "./ports.ts";
import type { Clock } from "../../terms/clock.ts";
import type { Answer, Around, PlannedCall, RunnableSource, RunSource } from "../ports.ts";
import { beforeDeadline } from "./deadline.ts";

/**
 * Finds the budgets that apply to a call, once its credential is known. Each of its requests reserves room in all of
 * them before it is sent. The call waits for a slow store until its deadline at most.
 */
export function withBudgets(budgets: Budgets, clock: Clock): Around {
  return (next) => (source, call) => {
    if (!source.leavesMachine) return next(source, call);
    const { caller } = call.run;
    const found = budgets.find({
      organizationId: caller.organizationId,
      workflowId: caller.workflow.id,
      source: source.id,
      credentialId: call.credential?.credentialId ?? null,
    });
    return found instanceof Promise
      ? beforeDeadline(call, clock, found).then((later) => proceed(later, source, call, next))
      : proceed(found, source, call, next);
  };
}

function proceed(
  found: CallBudgets | null,
  source: RunnableSource,
  call: PlannedCall,
  next: RunSource,
): Promise<Answer> {
  if (found !== null) call.takeBudgets(found);
  return next(source, call);
}
