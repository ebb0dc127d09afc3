import type { SourceWorkshop } from "../authoring/ports.ts";
import type { VerbDeps } from "./needs.ts";
import { OperatorError } from "../terms/operator-error.ts";

/** @throws OperatorError where there is none: a service's admin port writes no files and asks no vendors */
export function requireWorkshop({ workshop }: Pick<VerbDeps, "workshop">): Promise<SourceWorkshop> {
  if (workshop === undefined)
    throw new OperatorError("refused", "This is done from a command line, not through the admin API.");
  return workshop();
}
