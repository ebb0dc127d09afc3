import { nearest } from "../terms/text/nearest.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { AuditEntry, AuditFilter, AuditTrail, Page } from "./ports.ts";
import { givenOf } from "./shared-inputs.ts";

/** A search in the audit trail: words of an act, and the start of a name. */
export interface AuditQuery extends Omit<AuditFilter, "who" | "what"> {
  readonly who?: string;
  readonly what?: string;
}

/** Entries of the trail, newest first. */
export interface FoundActs {
  entries(page: Page): Promise<readonly AuditEntry[]>;
  /** Why no entry can match: a sentence and a suggestion. `null` if entries can match. */
  readonly unknown: Unknown | null;
}

interface Unknown {
  readonly of: "who" | "what";
  readonly says: string;
  readonly near: readonly string[];
}

/** Each pair of name and act is read from the index separately, so that the result needs no sorting. */
const READS_MAX = 100;

/**
 * Finds acts. Each word of `what` is the start of a word of the act (`price` matches `credential price set`), and `who`
 * is the start of a name, case-insensitive.
 * @throws OperatorError `usage` if too many names and acts match
 */
export async function findActs(
  trail: Pick<AuditTrail, "auditEntries" | "actors" | "acts">,
  { who, what, ...rest }: AuditQuery,
): Promise<FoundActs> {
  const [actors, acts] = await Promise.all([
    who === undefined ? [] : trail.actors(),
    what === undefined ? [] : trail.acts(),
  ]);
  const names = who === undefined ? [undefined] : actors.filter((name) => begins(name, who));
  const found = what === undefined ? [undefined] : acts.filter((act) => hasWords(act, what));
  const filters = names.flatMap((name) =>
    found.map((act): AuditFilter => ({ ...rest, ...givenOf({ who: name, what: act }) })),
  );
  if (filters.length > READS_MAX)
    throw new OperatorError(
      "usage",
      `${names.length} names and ${found.length} acts match. Give more of the name, or more words of the act.`,
    );
  return {
    async entries({ limit, after }) {
      const page = givenOf({ limit, after });
      const [first, ...others] = await Promise.all(filters.map((filter) => trail.auditEntries({ ...filter, ...page })));
      if (others.length === 0) return first ?? [];
      const all = [first!, ...others].flat().toSorted((one, other) => (one.id < other.id ? 1 : -1));
      return limit === undefined ? all : all.slice(0, limit);
    },
    unknown: names.length === 0 ? unknownName(who!, actors) : found.length === 0 ? unknownAct(what!, acts) : null,
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function begins(name: string, beginning: string): boolean {
  return name.toLowerCase().startsWith(beginning.trim().toLowerCase());
}

function hasWords(act: string, search: string): boolean {
  const own = wordsOf(act);
  return wordsOf(search).every((word) => own.some((one) => one.startsWith(word)));
}

function unknownName(who: string, actors: readonly string[]): Unknown {
  return {
    of: "who",
    says: `The trail has no name that begins with "${who.trim()}".`,
    near: nearest(who.trim(), actors),
  };
}

function unknownAct(what: string, acts: readonly string[]): Unknown {
  const words = [...new Set(acts.flatMap(wordsOf))].toSorted();
  const missing = wordsOf(what).filter((word) => !words.some((one) => one.startsWith(word)));
  return {
    of: "what",
    says: `The trail has no act with ${wordsOf(what).length === 1 ? "the word" : "the words"} "${what.trim()}".`,
    near: [...new Set(missing.flatMap((word) => nearest(word, words)))],
  };
}

/** The sentence with its suggestion, for a terminal. */
export function withNear({ says, near }: Unknown): string {
  return near.length === 0 ? says : `${says} Near it: ${near.join(", ")}.`;
}
