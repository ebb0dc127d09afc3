import { OperatorError } from "../terms/operator-error.ts";
import type { VerbNeeds } from "./needs.ts";
import type { FoundObject } from "./ports.ts";

/** The names of ids. A ledger, for instance a copy, can be read without a store; then all names are unknown. */
export async function namesOf(
  ids: readonly (string | null)[],
  store: VerbNeeds["store"],
): Promise<ReadonlyMap<string, FoundObject>> {
  if (ids.length === 0) return new Map();
  try {
    return await (await store()).findByIds(ids);
  } catch (error) {
    if (error instanceof OperatorError) return new Map();
    throw error;
  }
}
