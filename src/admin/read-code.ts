import { readFileSync, statSync } from "node:fs";

/** A file beyond this was made by a tool, and nobody reads it. */
const CODE_BYTES_MAX = 256 * 1024;

/** The text of an author's file as it is now; `null` if it is gone or too large to be read by a person. */
export function readCode(file: string): string | null {
  try {
    return statSync(file).size > CODE_BYTES_MAX ? null : readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
