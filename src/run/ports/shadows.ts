/** Shadow runs: a candidate of a function runs after the answer, and its result is only compared. */

/**
 * What a shadow run found about a field of the output, or about the whole result.
 *
 * - `missing`: only the answer has the field. `added`: only the candidate's output has it.
 * - `failed`: the candidate failed, and the function of the run did not, or in another way.
 * - `unrecorded`: the candidate made a call that the run did not make, so its result says nothing.
 */
export type ShadowVerdict = "same" | "different" | "missing" | "added" | "failed" | "unrecorded";

/** The comparison of one run. It has no value of an input or output. */
export interface ShadowComparison {
  readonly workflowId: string;
  readonly functionId: string;
  /** The digest of the candidate. */
  readonly version: string;
  readonly transactionId: string;
  readonly whole: ShadowVerdict;
  /** By the name of a declared field. Fields that neither version declares count together as `*`. */
  readonly fields: ReadonlyMap<string, ShadowVerdict>;
}

/**
 * Why a sampled run was not compared. `busy`: real runs need the processes. `memory`: no memory was free for the outcomes
 * of its calls. `version`: the candidate cannot be loaded. `stopping`: the service was ending.
 */
export type ShadowDrop = "busy" | "memory" | "version" | "stopping";

export interface ShadowResults {
  compared(comparison: ShadowComparison): void;
  dropped(why: ShadowDrop): void;
}
