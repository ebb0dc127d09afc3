import { open, readFile, rm, writeFile } from "node:fs/promises";
import { cannotRead, cannotWrite } from "../../../terms/platform/file-problem.ts";
import { OperatorError } from "../../../terms/operator-error.ts";

/** A plan as `--out` saves it: the state file, and the store that it was compared with. It has no secret. */
export interface SavedPlan {
  readonly state: string;
  readonly prune: boolean;
  /** `null` before the comparison. */
  readonly store_digest: string | null;
}

/** @throws OperatorError if the file exists already, or cannot be written */
export async function savePlan(path: string, plan: SavedPlan): Promise<void> {
  await writeFile(path, `${JSON.stringify(plan, null, 2)}\n`, { flag: "wx", mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      throw cannotWrite("created", error, path);
    },
  );
}

/** @throws OperatorError */
export async function readPlanFile(path: string): Promise<SavedPlan> {
  const bytes = await readBytes(path);
  try {
    const { state, prune, store_digest } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    if (typeof state === "string" && typeof prune === "boolean" && typeof store_digest === "string")
      return { state, prune, store_digest };
  } catch {
    // Refused below, like other content.
  }
  throw new OperatorError("invalid", "The file is not a plan that --out has written.");
}

export interface TokensFile {
  /** Writes one JSON object a line. Without any, the file is removed. */
  close(issued: readonly object[]): Promise<void>;
}

/**
 * Creates the file before the tokens exist, so that none is lost because it cannot be written. Only its owner can read
 * it.
 * @throws OperatorError
 */
export async function openTokensFile(path: string): Promise<TokensFile> {
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw cannotWrite("created", error, path);
  });
  return {
    async close(issued) {
      await file.writeFile(issued.map((each) => `${JSON.stringify(each)}\n`).join(""));
      await file.sync();
      await file.close();
      if (issued.length === 0) await rm(path);
    },
  };
}

/** @throws OperatorError */
export function readBytes(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw cannotRead(error, path);
  });
}
