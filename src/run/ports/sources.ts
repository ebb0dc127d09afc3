/** Sources as the engine runs them. */
import type { CheckSteps } from "../../terms/bounded-schemas.ts";
import type { SourceDeclaration } from "../../sdk/source.ts";
import type { ChargeModel } from "../../terms/charge.ts";
import type { ValueProblem } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json.ts";
import type { Price } from "../../terms/price.ts";

/** A source as the engine runs it: everything that can be known before a call has been computed already. */
export interface RunnableSource {
  readonly id: string;
  readonly declaration: SourceDeclaration;
  readonly timeoutMs: number;
  /** The names that pass the filter, from every branch of the schema. */
  readonly inputNames: readonly string[];
  /** A frozen object of the declared names, without a prototype. */
  filter(inputs: JsonObject): JsonObject;
  /** `null` if valid. A problem's path names the field and its message repeats no value. */
  inputProblem(filtered: JsonObject, steps?: CheckSteps): ValueProblem | null;
  /** Whether this source takes a credential, and whether it needs one. */
  readonly credentialUse: "none" | "optional" | "required";
  credentialProblem(fields: JsonObject, steps?: CheckSteps): ValueProblem | null;
  /** The fields that its credential may have, in a fixed order; `null` if it names none and accepts any. */
  readonly credentialNames: readonly string[] | null;
  /** The fields of a credential that name the account; none if all of them together do. */
  readonly accountNames: readonly string[];
  /** Whether its calls can leave the machine: it declares `origins`. */
  readonly leavesMachine: boolean;
  readonly charge: ChargeModel;
  /**
   * What a billed request costs if its credential has no price of its own: of a table of charges, the highest amount.
   * `null`: not known.
   */
  readonly listPrice: Price | null;
  /** Whether a later run can fetch what was ordered, with the number of the order as an input. */
  readonly resumable: boolean;
}

export interface SourceCatalog {
  find(id: string): RunnableSource | undefined;
}
