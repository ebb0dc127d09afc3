import { Fault, regionFault } from "../../terms/fault.ts";
import { fieldAt } from "../../terms/json/json-pointer.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { CallMiddleware } from "../ports.ts";
import { beforeDeadline } from "./deadline.ts";
import type { Budgets } from "./ports.ts";

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

/** Refuses a source outside the regions that it declares, before anything else is done for the call. */
const withRegion: CallMiddleware = (next) => (source, call) => {
  const fault = regionFault("this source", source.declaration.regions, call.run.intent.region);
  return fault === null ? next(source, call) : Promise.reject(fault);
};

/** Reduces the request's inputs to those that the source declares, and refuses invalid ones before anything is sent. */
export const withInputs: CallMiddleware = (next) => (source, call) => {
  call.takeInputs(source.filter(call.rawInputs));
  const problem = source.inputProblem(call.inputs, call.run.checkSteps);
  if (problem === null) return next(source, call);
  const { path, message, declaredField } = problem;
  const told = { field: fieldAt(path) };
  return Promise.reject(new Fault("source.input_invalid", { field: declaredField, problem: message }, { told }));
};

/**
 * Finds the budgets that apply to a call, once its credential is known. Each request of the call reserves its cost in all
 * of them before it is sent. The call waits for a slow store until its deadline at most.
 */
function withBudgets(budgets: Budgets, clock: Clock): CallMiddleware {
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
