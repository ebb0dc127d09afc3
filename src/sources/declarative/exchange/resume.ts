import { digitsOf, isNumber } from "../../../terms/json/exact-number.ts";
import { Fault } from "../../../terms/fault.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { didYouMean } from "../../../terms/text/nearest.ts";
import type { SourceDeclarationFile } from "../format/format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import type { StepFile } from "../format/steps-format.ts";

/** How a later run continues with the order of an earlier one. */
export interface Resume {
  /** The index of the step with which it starts. */
  readonly from: number;
  readonly input: string;
}

/** The input with the order's id, unless the file names another. */
export const ORDER_INPUT = "order_id";

/** @throws DeclarationError */
export function compileResume(
  file: SourceDeclarationFile["resume"],
  steps: readonly StepFile[],
  inputs: readonly string[],
  place: DocumentLocation,
): Resume | null {
  if (file === undefined) return null;
  const { step, input = ORDER_INPUT } = file;
  const names = steps.map(({ name }) => name);
  const from = names.indexOf(step);
  if (from < 0) {
    const hint = didYouMean(step, names) ?? `steps are ${names.join(", ")}`;
    place.in("step").refuse("format.value", `there is no step "${step}"`, hint);
  }
  const orderAt = steps.findIndex(({ order_id: id }) => id !== undefined);
  if (orderAt < 0 || orderAt >= from) {
    const hint = "add order_id to the step that places the order, such as order_id: body.id";
    place.in("step").refuse("format.value", `no step before "${step}" has order_id`, hint);
  }
  if (steps[from]!.when !== undefined) {
    const problem = `step "${step}" has a condition, and a run that resumes always begins with it`;
    place.in("step").refuse("format.value", problem, "remove the condition");
  }
  if (!inputs.includes(input)) {
    const hint =
      didYouMean(input, inputs) ?? "declare it, and require either it or the others: anyOf: [{required: […]}, …]";
    place.refuseKey("format.value", `there is no input "${input}" with which to resume`, hint);
  }
  return { from, input };
}

/** The id of the order to continue with; `null` to start from the beginning. @throws Fault */
export function orderToResume({ input }: Resume, inputs: JsonObject): string | null {
  const given = inputs[input];
  if (given === undefined || given === null || given === "") return null;
  if (isNumber(given)) return digitsOf(given);
  if (typeof given === "string") return given;
  throw new Fault("source.input_invalid", { field: input, problem: "is not the number of an order" });
}
