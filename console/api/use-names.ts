import { useVerb } from "./use-verb.ts";

/** The names of things of the store, by their ids. What has no name, or is not there yet, is left out. */
export function useNames(ids: readonly (string | null)[]): ReadonlyMap<string, string> {
  const asked = [...new Set(ids.filter((id): id is string => id !== null && id !== ""))].toSorted().slice(0, 1_000);
  const { result } = useVerb("object name", asked.length === 0 ? null : { id: asked });
  return new Map((result?.objects ?? []).flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}
