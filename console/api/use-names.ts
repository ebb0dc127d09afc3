import type { RowOf } from "./verb-types.ts";
import { useVerb } from "./use-verb.ts";

export type NamedObject = RowOf<"object name", "objects">;
export type Objects = ReadonlyMap<string, NamedObject>;
type Id = string | null | undefined;

/** Objects of the store by id; `undefined` while loading. */
export function useObjects(ids: readonly Id[]): Objects | undefined {
  const asked = [...new Set(ids.filter((id): id is string => !!id))].toSorted().slice(0, 1_000);
  const { result, error } = useVerb("object name", asked.length === 0 ? null : { id: asked });
  // A page is useful without names too.
  if (asked.length > 0 && result === undefined && error === undefined) return undefined;
  return new Map((result?.objects ?? []).map((one) => [one.id, one]));
}

/** Names by id. Objects without a name are left out; `undefined` while loading. */
export function useNames(ids: readonly Id[]): ReadonlyMap<string, string> | undefined {
  const found = useObjects(ids);
  return found && new Map([...found].flatMap(([id, { name }]) => (name === null ? [] : [[id, name] as const])));
}
