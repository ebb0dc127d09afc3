import { createHash } from "node:crypto";
import type { ContractPart } from "./inside/check-contract.ts";

/** Everything needed to run a function anywhere. */
export interface Bundle {
  /** Of its code: bundles with equal code are the same bundle. */
  readonly hash: string;
  readonly code: string;
  /** Checked before and after each run; `null` or absent if the function declares no schema. */
  readonly contract?: Contract | null;
}

/**
 * The checks of a function's own schemas, as a script for its isolates. The flags say for which parts it has a schema.
 */
export interface Contract extends Readonly<Record<ContractPart, boolean>> {
  readonly code: string;
  /** The names of inputs that its schema declares, up to a limit. */
  readonly inputNames: readonly string[];
}

/** Equal code gives an equal hash. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
