import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { OperatorError } from "../../terms/operator-error.ts";
import type { Option } from "./options.ts";

/** Replaces each file name in the input by the file's text. @throws OperatorError `invalid` */
export async function readFiles(
  input: Readonly<Record<string, unknown>>,
  options: readonly Option[],
): Promise<Readonly<Record<string, unknown>>> {
  const read = { ...input };
  for (const { property, isFile } of options) {
    const path = property === null || isFile !== true ? undefined : input[property];
    if (typeof path !== "string") continue;
    const bytes = await readFile(resolve(path)).catch(async (error: NodeJS.ErrnoException) => {
      // Loaded only after a failure, because every start loads this file.
      const { cannotRead } = await import("../../terms/platform/file-problem.ts");
      throw cannotRead(error, path);
    });
    read[property!] = decodeText(bytes);
  }
  return read;
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, as in Excel's "Unicode text". Another encoding is refused: a value
 * with an umlaut would differ from the ledger's without a visible reason.
 */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    const name = encoding === "utf-8" ? "UTF-8" : "UTF-16";
    throw new OperatorError("invalid", `The file is not ${name} text. Save it in UTF-8.`, { cause });
  }
}
