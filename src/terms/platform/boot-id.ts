import { readFileSync } from "node:fs";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** Identifies this boot of this machine. Empty if the system has no such id. */
export function bootId(): string {
  try {
    return readFileSync(BOOT_ID, "utf8").trim();
  } catch {
    return "";
  }
}
