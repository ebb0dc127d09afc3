import type { FoundObject } from "./ports.ts";

/** The kinds of objects that a search in the store finds. */
export const FOUND_KINDS = [
  "organization",
  "workflow",
  "token",
  "credential",
  "budget",
  "operator",
] as const satisfies readonly FoundObject["kind"][];
