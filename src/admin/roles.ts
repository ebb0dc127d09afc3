import type { Role } from "./ports.ts";

/** Each role includes the permissions of the ones before it. */
export const ROLES = ["viewer", "operator", "owner"] as const satisfies readonly Role[];

/** Whether a role includes the permissions of another. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
