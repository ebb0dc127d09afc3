import type { InputOf } from "../../api/verb-types.ts";

/** The parameters of the address, equal to those of the verb. */
export const FILTERS = [
  "org",
  "workflow",
  "function",
  "function_version",
  "source",
  "source_version",
  "outcome",
  "charged",
  "from",
  "to",
] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filter = Readonly<Partial<Record<FilterName, string>>> & InputOf<"ledger list">;

export function readFilter(query: URLSearchParams): Filter {
  const given = FILTERS.map((name) => [name, query.get(name)?.trim() ?? ""] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== "")) as Filter;
}

/** A time as a date and time field needs it: 2026-03-01T12:00, in UTC. A date becomes midnight. */
export function toField(moment: string | undefined): string {
  const wallAt = moment === undefined ? NaN : Date.parse(moment);
  return Number.isNaN(wallAt) ? "" : new Date(wallAt).toISOString().slice(0, 16);
}

/** The value of such a field as the verb accepts it. */
export function fromField(text: string): string | null {
  return text === "" ? null : `${text.slice(0, 16)}Z`;
}
