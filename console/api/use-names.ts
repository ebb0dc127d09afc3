import { useVerb } from "./use-verb.ts";

/** The names of things of the store, by their ids. What has no name is left out; `undefined` until they are there. */
export function useNames(ids: readonly (string | null)[]): ReadonlyMap<string, string> | undefined {
  const asked = [...new Set(ids.filter((id): id is string => id !== null && id !== ""))].toSorted().slice(0, 1_000);
  const { result, error } = useVerb("object name", asked.length === 0 ? null : { id: asked });
  // Without names a page is still of use.
  if (asked.length > 0 && result === undefined && error === undefined) return undefined;
  return new Map((result?.objects ?? []).flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}
