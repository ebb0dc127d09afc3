import { createHash } from "node:crypto";
import type { ContractPart } from "./inside/check-contract.ts";

/** What a bundle needs to be run anywhere. */
export interface Bundle {
  /** Of its code: equal code is the same bundle. */
  readonly hash: string;
  readonly code: string;
  /** Checked before and after each run. */
  readonly contract?: Contract | null;
}

/** The checks of a function's own schemas, as a script for its isolates. Which of the two it has is said beside it. */
export interface Contract extends Readonly<Record<ContractPart, boolean>> {
  readonly code: string;
  /** What the schema of its inputs names, the first of them. */
  readonly inputNames: readonly string[];
}

/** Equal code is the same bundle. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
