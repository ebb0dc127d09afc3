import type { Budgets } from "./ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { CallMiddleware } from "../ports.ts";
import { beforeDeadline } from "./deadline.ts";

/**
 * Finds the budgets that apply to a call, once its credential is known. Each request of the call reserves its cost in all
 * of them before it is sent. The call waits for a slow store until its deadline at most.
 */
export function withBudgets(budgets: Budgets, clock: Clock): CallMiddleware {
  return (next) => async (source, call) => {
    if (!source.leavesMachine) return next(source, call);
    const { caller } = call.run;
    const finding = budgets.find({
      organizationId: caller.organizationId,
      workflowId: caller.workflow.id,
      source: source.id,
      credentialId: call.credential?.credentialId ?? null,
    });
    const found = await beforeDeadline(call, clock, finding);
    if (found !== null) call.takeBudgets(found);
    return next(source, call);
  };
}
