import { readFileSync } from "node:fs";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** Names the time since the machine was started: no other machine has the same. Empty if the system has none. */
export function bootId(): string {
  try {
    return readFileSync(BOOT_ID, "utf8").trim();
  } catch {
    return "";
  }
}
