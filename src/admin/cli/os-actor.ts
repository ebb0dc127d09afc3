import { userInfo } from "node:os";
import type { Actor } from "../ports.ts";

/** The operating system's user as an actor of the audit trail. */
export function osActor(): Actor {
  try {
    return { who: userInfo().username, via: "cli" };
  } catch {
    // The user has no entry in the system's list of users, as in many containers.
    return { who: `uid ${process.getuid?.() ?? "unknown"}`, via: "cli" };
  }
}
