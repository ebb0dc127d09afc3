import type { BigIntStats } from "node:fs";

/**
 * What a copy of a file does not share with it: its device, its number there, and when that was given to it, because
 * numbers are used again. A file that is moved within its file system keeps it.
 */
export function fileIdentity({ dev, ino, birthtimeNs }: Pick<BigIntStats, "dev" | "ino" | "birthtimeNs">): string {
  return `${dev}/${ino}/${birthtimeNs}`;
}
