import { Fault } from "../../terms/fault.ts";
import type { Around } from "../ports.ts";
import { fieldAt } from "../../terms/json-pointer.ts";

/** Reduces the request's inputs to what the source declares, and refuses what its schema refuses, before anything is called. */
export const withInputs: Around = (next) => (source, call) => {
  call.takeInputs(source.filter(call.rawInputs));
  const problem = source.inputProblem(call.inputs);
  if (problem === null) return next(source, call);
  return Promise.reject(new Fault("source.input_invalid", { field: fieldAt(problem.path), problem: problem.message }));
};
