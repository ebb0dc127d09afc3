import type { CallReport } from "../../run/ports.ts";

const NAMES_MAX = 3;
const NAME_CHARACTERS_MAX = 48;

/** What a run asked for and no source has: how many, and the first few, shortened. */
export interface UnknownSources {
  readonly count: number;
  readonly names: readonly string[];
}

/**
 * Ids that are of no source are whatever a caller makes up, as many and as long as he likes. Nobody was called for them
 * and nobody can be billed, so a run has one note of them and no row for each.
 */
export function unknownSourcesOf(calls: readonly CallReport[]): UnknownSources {
  const unknown = calls.filter(isOfNoSource);
  return { count: unknown.length, names: unknown.slice(0, NAMES_MAX).map(({ source }) => shorten(source)) };
}

/** Never one that sent anything. */
export function isOfNoSource(call: CallReport): boolean {
  return call.fault?.code === "source.unknown" && call.attempts.length === 0;
}

function shorten(name: string): string {
  return name.length > NAME_CHARACTERS_MAX ? `${name.slice(0, NAME_CHARACTERS_MAX)}…` : name;
}
