import { OperatorError } from "../terms/operator-error.ts";
import type { VerbNeeds } from "./needs.ts";
import type { AdminStore, FoundObject } from "./ports.ts";

/** The names of ids. A ledger, for instance a copy, can be read without a store; then all names are unknown. */
export async function namesOf(
  ids: readonly (string | null)[],
  store: VerbNeeds["store"],
): Promise<ReadonlyMap<string, FoundObject>> {
  return unlessWithoutStore(ids, store, (open) => open.findByIds(ids));
}

/** The names of credentials that have one. */
export async function credentialNamesOf(
  ids: readonly (string | null)[],
  store: VerbNeeds["store"],
): Promise<ReadonlyMap<string | null, string>> {
  return unlessWithoutStore(ids, store, (open) => open.credentialNames(ids));
}

async function unlessWithoutStore<Name>(
  ids: readonly (string | null)[],
  store: VerbNeeds["store"],
  read: (open: AdminStore) => Promise<ReadonlyMap<string, Name>>,
): Promise<ReadonlyMap<string, Name>> {
  if (ids.every((id) => id === null)) return new Map();
  try {
    return await read(await store());
  } catch (error) {
    if (error instanceof OperatorError) return new Map();
    throw error;
  }
}
