import { CHANGES } from "../../api/verbs.ts";

/** What can be in the trail: the verbs that change something, over the API or in a terminal alone, and logins. */
export const ACTS: readonly string[] = [
  ...Object.entries(CHANGES).flatMap(([verb, changes]) => (changes ? [verb] : [])),
  "keys adopt",
  "ledger drain",
  "store copy",
  "store restore",
  "session begin",
  "session end",
  "login failed",
].toSorted();
