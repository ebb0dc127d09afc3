import type { JsonObject } from "../terms/json/json.ts";

/** The verbs of an operator, run in this deployment or in the service that `--remote` names. */
export interface AdminAccess {
  /**
   * The result of a verb such as `source show`.
   * @throws OperatorError
   */
  ask(verb: string, input: JsonObject): Promise<JsonObject>;
}
