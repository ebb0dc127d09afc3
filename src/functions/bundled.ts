import { createHash } from "node:crypto";
import type { ContractPart } from "./inside/check-contract.ts";

/** A function's code with its contract: all that a process needs to run it. */
export interface Bundle {
  /** SHA-256 of the code, shortened. Bundles with equal code count as the same bundle. */
  readonly hash: string;
  readonly code: string;
  /** Checks inputs before each run and the output after it. `null` or absent if the function declares no schema. */
  readonly contract?: Contract | null;
}

/** The script that checks a function's own schemas in an isolate. The flags say which parts have a schema. */
export interface Contract extends Readonly<Record<ContractPart, boolean>> {
  readonly code: string;
  /** Names of the inputs that the schema declares, up to a limit. */
  readonly inputNames: readonly string[];
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
