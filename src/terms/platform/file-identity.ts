import type { BigIntStats } from "node:fs";

/**
 * A text that differs between a file and its copies: device, inode number and creation time, because inode numbers are
 * reused. Moving a file within its file system does not change it.
 */
export function fileIdentity({ dev, ino, birthtimeNs }: Pick<BigIntStats, "dev" | "ino" | "birthtimeNs">): string {
  return `${dev}/${ino}/${birthtimeNs}`;
}
