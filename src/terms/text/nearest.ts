const SHOWN_MAX = 5;
/** A longer word is not a misspelled name, and would take long to compare. */
const WORD_CHARS_MAX = 256;

/** The candidates that a word was probably meant to be: misspelled ones first, then those that contain it or a part. */
export function nearest(word: string, candidates: readonly string[]): readonly string[] {
  if (word.length > WORD_CHARS_MAX) return [];
  const misspelled = candidates.filter((candidate) => resembles(word, candidate));
  const parts = word
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part.length > 2);
  const partly = candidates.filter((candidate) => parts.some((part) => candidate.toLowerCase().includes(part)));
  const letters = lettersOf(word);
  const wholly = partly.filter((candidate) => lettersOf(candidate).includes(letters));
  return [...new Set([...misspelled, ...wholly, ...partly])].slice(0, SHOWN_MAX);
}

/** A question with all names that may have been meant; `null` if none is similar. */
export function didYouMeanAnyOf(word: string, candidates: readonly string[], prefix = ""): string | null {
  const near = nearest(word, candidates).map((candidate) => prefix + candidate);
  if (near.length === 0) return null;
  return `Did you mean ${near.length === 1 ? near[0]! : `${near.slice(0, -1).join(", ")} or ${near.at(-1)!}`}?`;
}

/** A question with the name that was probably meant, if one is similar enough for a typing error. */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  const meant = names.find((name) => hasSlips(1, written, name)) ?? names.find((name) => resembles(written, name));
  return meant === undefined ? undefined : `did you mean "${meant}"?`;
}

/** Allows one typing error for short names, two for longer ones; ignores case and the kind of separator. */
export function resembles(name: string, declared: string): boolean {
  return hasSlips(lettersOf(declared).length <= 4 ? 1 : 2, name, declared);
}

function hasSlips(atMost: number, name: string, declared: string): boolean {
  if (name.length > WORD_CHARS_MAX) return false;
  const a = lettersOf(name);
  const b = lettersOf(declared);
  return a !== "" && Math.abs(a.length - b.length) <= atMost && isWithin(atMost, a, b);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/**
 * Whether at most this many insertions, deletions, replacements and swaps of neighbours turn one text into the other.
 * Only cells that close to the diagonal matter, so the cost is linear and not quadratic: `row[k]` is the distance
 * between the first i letters of one text and the first i + k - slips of the other.
 */
function isWithin(slips: number, a: string, b: string): boolean {
  const width = 2 * slips + 1;
  let before: number[] = [];
  let previous = Array.from({ length: width }, (_, k) => (k < slips ? TOO_MANY : k - slips));
  for (let i = 1; i <= a.length; i += 1) {
    const row: number[] = [];
    for (let k = 0; k < width; k += 1) {
      const j = i + k - slips;
      let cost = TOO_MANY;
      if (j === 0) cost = i;
      else if (j > 0 && j <= b.length) {
        const change = a[i - 1] === b[j - 1] ? 0 : 1;
        cost = Math.min((previous[k + 1] ?? TOO_MANY) + 1, (row[k - 1] ?? TOO_MANY) + 1, previous[k]! + change);
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[k]! + 1);
      }
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length - a.length + slips]! <= slips;
}

const TOO_MANY = Number.POSITIVE_INFINITY;
