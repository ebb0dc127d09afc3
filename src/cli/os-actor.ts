import { userInfo } from "node:os";
import type { Actor } from "../admin/ports.ts";

/** Who runs a command, as the operating system names them. */
export function osActor(): Actor {
  try {
    return { who: userInfo().username, via: "cli" };
  } catch {
    // A user without an entry in the system's list of users, as in many containers.
    return { who: `uid ${process.getuid?.() ?? "unknown"}`, via: "cli" };
  }
}
