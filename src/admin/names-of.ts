import { OperatorError } from "../terms/operator-error.ts";
import type { VerbNeeds } from "./needs.ts";
import type { FoundObject } from "./ports.ts";

/** The names of ids. A ledger, for instance a copy, can be read without a store; then all names are unknown. */
export async function namesOf(
  ids: readonly (string | null)[],
  store: VerbNeeds["store"],
): Promise<ReadonlyMap<string, FoundObject>> {
  return ofStore(ids, store, (open) => open.findByIds(ids), new Map());
}

/** The names of credentials that have one. */
export async function credentialNamesOf(
  ids: readonly (string | null)[],
  store: VerbNeeds["store"],
): Promise<ReadonlyMap<string | null, string>> {
  return ofStore(ids, store, (open) => open.credentialNames(ids), new Map());
}

/** What the store knows about these ids; `nothing` without ids, or if it cannot be asked. */
export async function ofStore<Store, Known>(
  ids: readonly (string | null)[],
  store: () => Promise<Store>,
  read: (open: Store) => Promise<Known>,
  nothing: Known,
): Promise<Known> {
  if (ids.every((id) => id === null)) return nothing;
  try {
    return await read(await store());
  } catch (error) {
    if (error instanceof OperatorError) return nothing;
    throw error;
  }
}
