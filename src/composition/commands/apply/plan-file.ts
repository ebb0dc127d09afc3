import { readFile } from "node:fs/promises";
import { cannotRead } from "../../../admin/cli/file-problem.ts";
import { OperatorError } from "../../../terms/operator-error.ts";

/** A plan as `--out` saves it: the state file, and the store that it was compared with. It has no secret. */
export interface SavedPlan {
  readonly state: string;
  readonly prune: boolean;
  /** `null` before the comparison. */
  readonly store_digest: string | null;
}

/** @throws OperatorError */
export async function readPlanFile(path: string): Promise<SavedPlan> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw cannotRead(error);
  });
  try {
    const { state, prune, store_digest } = JSON.parse(text) as Record<string, unknown>;
    if (typeof state === "string" && typeof prune === "boolean" && typeof store_digest === "string")
      return { state, prune, store_digest };
  } catch {
    // Refused below, like other content.
  }
  throw new OperatorError("invalid", "The file is not a plan that --out has written.");
}
