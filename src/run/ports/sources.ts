/** Sources as the engine runs them. */
import type { CheckSteps } from "../../terms/schema/author-schemas.ts";
import type { SourceDeclaration } from "../../sdk/source.ts";
import type { ChargeModel } from "../../terms/money/charge.ts";
import type { ValueProblem } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { Price } from "../../terms/money/price.ts";

/** A source as the engine runs it. Everything that does not depend on a call is computed in advance. */
export interface RunnableSource {
  readonly id: string;
  /** The digest of its code or declaration. */
  readonly version: string;
  readonly declaration: SourceDeclaration;
  /** For a version that is not the loaded one: the loaded one, whose limits all versions use up together. */
  readonly limitedAs?: RunnableSource;
  readonly timeoutMs: number;
  /** The names that pass the filter, from every branch of the schema. */
  readonly inputNames: readonly string[];
  /** Returns a frozen object with the declared inputs only, without a prototype. */
  filter(inputs: JsonObject): JsonObject;
  /** `null` if valid. A problem's path names the field and its message repeats no value. */
  inputProblem(filtered: JsonObject, steps?: CheckSteps): ValueProblem | null;
  /** Whether this source takes a credential, and whether it needs one. */
  readonly credentialUse: "none" | "optional" | "required";
  credentialProblem(fields: JsonObject, steps?: CheckSteps): ValueProblem | null;
  /** The fields that its credential may have, in a fixed order; `null` if it names none and accepts any. */
  readonly credentialNames: readonly string[] | null;
  /** The fields of a credential that name the account; empty if all fields together do. */
  readonly accountNames: readonly string[];
  /** Whether its calls can leave the machine: it declares `origins`. */
  readonly leavesMachine: boolean;
  readonly charge: ChargeModel;
  /**
   * The price of a billed request if its credential has none: for a table of charges, the highest amount. `null` if it is
   * not known.
   */
  readonly listPrice: Price | null;
  /** Whether a later run can fetch the result of an order, with the order's number as an input. */
  readonly resumable: boolean;
}

export interface SourceCatalog {
  find(id: string): RunnableSource | undefined;
}
