import { open, rm } from "node:fs/promises";
import { OperatorError } from "../../../terms/operator-error.ts";

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
  const file = await open(path, "wx", 0o600).catch((cause: NodeJS.ErrnoException) => {
    const problem = cause.code === "EEXIST" ? "it exists already" : (cause.code ?? cause.name);
    throw new OperatorError("invalid", `The file for tokens cannot be created (${problem}).`, { cause });
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
