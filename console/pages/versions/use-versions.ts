import { address } from "../../address.ts";
import { useList, useWholeList } from "../../api/use-list.ts";
import type { InputOf, RowOf } from "../../api/verb-types.ts";
import type { VersionKind } from "../../parts/version-link.tsx";

export type Version = RowOf<"function versions", "versions">;
export type VersionUse = RowOf<"function versions", "workflows">;

/** The verbs of both kinds have the same results. */
function verbOf(kind: VersionKind, id: string) {
  const input = { [kind]: id } as unknown as InputOf<"function versions">;
  return [`${kind} versions` as "function versions", input, "versions"] as const;
}

/** The newest versions, page by page; all of them if the address names one, which may be far down. */
export function useVersions(kind: VersionKind, id: string) {
  const isNamed = address().query.has("version");
  const [verb, input, rows] = verbOf(kind, id);
  const pages = useList(verb, { ...input, limit: SHOWN }, rows);
  const whole = useWholeList(verb, isNamed ? input : null, rows);
  return isNamed ? { ...whole, more: null } : pages;
}

/** Few, because most people look for one of the last. */
const SHOWN = 10;

/** All versions, to choose two of them. */
export function useAllVersions(kind: VersionKind, id: string) {
  return useWholeList(...verbOf(kind, id));
}
