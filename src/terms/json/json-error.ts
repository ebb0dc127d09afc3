export type JsonProblem =
  | "encoding"
  | "too_deep"
  | "too_many_keys"
  | "too_many_values"
  | "syntax"
  | "not_finite"
  | "not_exact"
  | "no_room";

/** Thrown when JSON cannot be read. Contains the kind of problem and never a part of the text. */
export class JsonError extends Error {
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(problem);
    this.name = "JsonError";
    this.problem = problem;
  }
}
