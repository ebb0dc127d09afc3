import type { ResultOf } from "../../api/verb-types.ts";

export type ListedSource = ResultOf<"source list">["sources"][number];

/** The filter in the address. An empty text matches everything. */
export interface SourceFilter {
  readonly find: string;
  readonly from: string;
  readonly cost: string;
  readonly credential: string;
  readonly state: string;
}

export const FILTER_KEYS = [
  "find",
  "from",
  "cost",
  "credential",
  "state",
] as const satisfies readonly (keyof SourceFilter)[];

/** Searches ids, titles and names of inputs for all words, in any order. */
export function filterSources(sources: readonly ListedSource[], filter: SourceFilter): readonly ListedSource[] {
  const words = filter.find.toLowerCase().split(/\s+/).filter(Boolean);
  return sources.filter(
    (source) =>
      (filter.from === "" || source.from === filter.from) &&
      (filter.credential === "" || source.credential === filter.credential) &&
      (filter.cost === "" || (source.charge.model === "free") === (filter.cost === "free")) &&
      hasState(source, filter.state) &&
      (words.length === 0 || containsAll(source, words)),
  );
}

function hasState(source: ListedSource, state: string): boolean {
  switch (state) {
    case "on":
      return source.on;
    case "off":
      return !source.on;
    case "never_tested":
      return source.live_tested === "never";
    case "local":
      return !source.leaves_machine;
    default:
      return true;
  }
}

function containsAll({ source, title, input_names: names }: ListedSource, words: readonly string[]): boolean {
  const text = `${source} ${title} ${names.join(" ")}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Puts sources that are on before those that are off, and keeps the order otherwise. */
export function onFirst<Source extends { readonly on: boolean }>(sources: readonly Source[]): readonly Source[] {
  return sources.toSorted((one, other) => Number(other.on) - Number(one.on));
}
