import type { JsonObject } from "../terms/json/json.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { RunnableSource } from "../run/ports.ts";

/**
 * Refuses a credential that its source could not use.
 * @param unknown the fields whose values are not known here; they are checked at each call. Each value stands for its field.
 * @throws OperatorError
 */
export function refuseUnfit(source: RunnableSource, fields: JsonObject, unknown: JsonObject): void {
  if (source.credentialUse === "none") throw new OperatorError("invalid", `${source.id} takes no credential.`);
  const empty = Object.entries(fields).find(([, value]) => typeof value === "string" && value.trim() === "");
  if (empty !== undefined) {
    throw new OperatorError(
      "invalid",
      `The credential field ${empty[0]} is empty. Leave it out if the source does not need it.`,
    );
  }
  const problem = source.credentialProblem({ ...fields, ...unknown });
  if (problem === null || Object.hasOwn(unknown, problem.path.slice(1))) return;
  const field = problem.path === "" ? "The credential" : `The credential field ${problem.path.slice(1)}`;
  throw new OperatorError("invalid", `${field} ${problem.message}. "datarun source show ${source.id}" lists them all.`);
}
