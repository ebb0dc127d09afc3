import type { InputOf } from "../../api/verb-types.ts";

/** The parameters of the address that the form sets, equal to those of the verb. */
export const FILTERS = [
  "org",
  "workflow",
  "function",
  "function_version",
  "source",
  "source_version",
  "outcome",
  "failure",
  "min_duration_ms",
  "charged",
] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filter = Readonly<Partial<Record<FilterName, string>>>;

export function readFilter(query: URLSearchParams): Filter {
  const given = FILTERS.map((name) => [name, query.get(name)?.trim() ?? ""] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

/** The filter and the time range as the verb takes them. */
export function inputOf(
  { min_duration_ms: text, ...filter }: Filter,
  span: { readonly from?: string; readonly to?: string },
): InputOf<"ledger list"> {
  const ms = Number(text);
  const least = text === undefined || !Number.isFinite(ms) || ms < 0 ? {} : { min_duration_ms: Math.ceil(ms) };
  return { ...(filter as InputOf<"ledger list">), ...least, ...span };
}
