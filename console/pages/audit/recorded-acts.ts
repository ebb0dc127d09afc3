import { CHANGES } from "../../api/verbs.ts";

/**
 * The actions that the audit trail can contain: verbs that change something, including those that exist only in a
 * terminal, and logins.
 */
export const RECORDED_ACTS: readonly string[] = [
  ...Object.entries(CHANGES).flatMap(([verb, changes]) => (changes ? [verb] : [])),
  "keys adopt",
  "ledger drain",
  "store copy",
  "store restore",
  "session begin",
  "session end",
  "login failed",
].toSorted();
