import { realpath } from "node:fs/promises";
import { gatherEvidence } from "../imports/evidence.ts";
import { ImportRefused, openImportScope } from "../imports/import-scope.ts";
import { readRegularFile } from "../imports/regular-file.ts";
import { createResolver } from "../imports/resolve-import.ts";
import type { FunctionFile } from "./bundle.ts";

/**
 * The text of a function's file, or of a file beside it, as it is now. It may have become anything since the function was
 * loaded, and is held to the same rules as what a function imports.
 * @throws ImportRefused, and RangeError if it is not a regular file or is too large; both say which
 */
export async function readOwnFile({ file, root, closed }: Required<FunctionFile>, bytesMax: number): Promise<string> {
  const scope = openImportScope(await realpath(root), closed);
  const { file: real } = await createResolver(scope, gatherEvidence()).entry(file);
  return (await readRegularFile(real, bytesMax)).toString();
}

/** A file beyond this was made by a tool, and nobody reads it. */
const CODE_BYTES_MAX = 256 * 1024;

/** The code of a function for people to read; `null` if it is gone, too large, or not what may be a function's file. */
export async function readCode(file: Required<FunctionFile>): Promise<string | null> {
  try {
    return await readOwnFile(file, CODE_BYTES_MAX);
  } catch (error) {
    if (error instanceof ImportRefused || error instanceof RangeError || isOfFiles(error)) return null;
    throw error;
  }
}

function isOfFiles(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}
