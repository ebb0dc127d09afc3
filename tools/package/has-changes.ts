import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Whether files of a checkout differ from its commit, new files too. Not if it is no checkout, or git is not installed. */
export function hasChanges(checkout: string): boolean {
  if (!existsSync(join(checkout, ".git"))) return false;
  const { status, stdout } = spawnSync("git", ["-C", checkout, "status", "--porcelain"], { encoding: "utf8" });
  return status === 0 && stdout !== "";
}
