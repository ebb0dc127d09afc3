import { Fault } from "../../terms/fault.ts";
import type { CallMiddleware } from "../ports.ts";
import { fieldAt } from "../../terms/json/json-pointer.ts";

/** Reduces the request's inputs to those that the source declares, and refuses invalid ones before anything is sent. */
export const withInputs: CallMiddleware = (next) => (source, call) => {
  call.takeInputs(source.filter(call.rawInputs));
  const problem = source.inputProblem(call.inputs, call.run.checkSteps);
  if (problem === null) return next(source, call);
  const { path, message, declaredField } = problem;
  const told = { field: fieldAt(path) };
  return Promise.reject(new Fault("source.input_invalid", { field: declaredField, problem: message }, { told }));
};
