import type { FoundObject } from "./ports.ts";

/** The kinds of things that are found in the store. */
export const FOUND_KINDS = [
  "organization",
  "workflow",
  "token",
  "credential",
  "budget",
  "operator",
] as const satisfies readonly FoundObject["kind"][];
