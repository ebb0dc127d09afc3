import type { JsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { SourceListing } from "../ports.ts";
import { refuseUnfit } from "../refuse-unfit.ts";
import { requireSource } from "../require.ts";
import { createsObject, type StatePlan } from "./plan-state.ts";
import type { ParsedStateFile } from "./read-state-file.ts";
import { textIn } from "./state-object.ts";

/**
 * Refuses new credentials and budgets whose source does not exist, and credentials that their source could not use: the
 * verbs that create them would refuse them, but only after other changes were made.
 * @throws OperatorError
 */
export async function refuseUnusable(
  { changes }: StatePlan,
  parsed: ParsedStateFile,
  sources: () => Promise<SourceListing>,
): Promise<void> {
  for (const { kind, described } of changes.filter(createsObject)) {
    if (described === null) continue;
    const id = textIn(described.spec, "source");
    if (id === "") continue;
    const listing = await sources();
    const source = refuseAt("source", () => requireSource(listing, id));
    const { fields = {}, references = {} } = described.spec as Record<string, JsonObject>;
    if (kind === "credential") refuseAt("key", () => refuseUnfit(source, {}, { ...fields, ...references }));

    function refuseAt<Result>(field: string, check: () => Result): Result {
      try {
        return check();
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        return parsed.refuse([...described!.at, field], error.message);
      }
    }
  }
}
