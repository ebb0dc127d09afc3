/** Results of shadow runs: counts and ids of runs, and nothing of inputs and outputs. */
import type { ShadowVerdict } from "../../run/ports.ts";
import type { Act } from "./acts.ts";

/** How many runs had each verdict about a field, or as a whole if `field` is empty. */
export interface ShadowResult {
  readonly workflowId: string;
  readonly functionId: string;
  /** The digest of the candidate. */
  readonly version: string;
  readonly field: string;
  readonly counts: Readonly<Record<ShadowVerdict, number>>;
  /** The newest runs whose verdict is not `same`, newest first. */
  readonly transactionIds: readonly string[];
}

export interface ShadowStore {
  /** Adds counts to those that are stored. */
  addShadowResults(results: readonly ShadowResult[], wallAt: number): Promise<void>;
  /** Sorted by workflow, version and field. */
  shadowResults(functionId: string, workflowId?: string): Promise<readonly ShadowResult[]>;
  /** Removes the results of a function, or `null` if there are none. Returns how many candidates had results. */
  resetShadowResults(act: Act, functionId: string, workflowId?: string): Promise<number | null>;
}
