import { open, rm } from "node:fs/promises";
import { cannotWrite } from "../../../admin/cli/file-problem.ts";

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
    throw cannotWrite("created", error, "The file for tokens");
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
