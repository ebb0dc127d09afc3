import { Fault } from "../../../terms/fault.ts";

/** Where a value came from: the root of a template's name and the name after it. */
export interface ValueOrigin {
  readonly root: string;
  readonly path: readonly string[];
}

/**
 * The fault of a value that cannot stand where the file puts it: it names the field and never the value, and nothing is
 * sent. Besides inputs and credentials only a vendor's own token can be such a value.
 */
export function valueProblem(origin: ValueOrigin, problem: string): Fault {
  const field = origin.path.join(".");
  if (origin.root === "inputs") return new Fault("source.input_invalid", { field, problem });
  if (origin.root === "credentials") {
    return new Fault("source.credential_missing", { field, problem: `credential field ${field} ${problem}` });
  }
  return new Fault("source.contract", { problem: `its ${origin.root} ${problem}` });
}
