import type { Role } from "./ports.ts";

/** Each role may do what the ones before it may, and more. */
export const ROLES = ["viewer", "operator", "owner"] as const satisfies readonly Role[];

/** Whether somebody with this role may do what needs that one. */
export function includesRole(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed);
}
