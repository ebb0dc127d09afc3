import type { CallReport } from "../run/ports.ts";
import { toStored } from "./stored-text.ts";

const NAMES_MAX = 3;
const NAME_CHARACTERS_MAX = 48;

/*
 * Ids that are of no source are whatever a caller makes up, as many and as long as he likes. Nobody was called for them
 * and nobody can be billed, so a run has one note of them and no row for each.
 */

export function unknownSourcesOf(calls: readonly CallReport[]): readonly CallReport[] {
  // Nearly always there is none.
  return calls.some(isOfNoSource) ? calls.filter(isOfNoSource) : [];
}

/** The first few, shortened, as JSON; `null` where there is none. */
export function unknownSourceNames(calls: readonly CallReport[]): string | null {
  const unknown = unknownSourcesOf(calls);
  if (unknown.length === 0) return null;
  return JSON.stringify(unknown.slice(0, NAMES_MAX).map(({ source }) => toStored(shorten(source))));
}

/** Never one that sent anything. */
export function isOfNoSource(call: CallReport): boolean {
  return call.fault?.code === "source.unknown" && call.attempts.length === 0;
}

function shorten(name: string): string {
  return name.length > NAME_CHARACTERS_MAX ? `${name.slice(0, NAME_CHARACTERS_MAX)}…` : name;
}
