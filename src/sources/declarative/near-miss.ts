/** The name that somebody probably meant: the closest known one, if it is close enough to be a slip of the finger. */
export function nearMiss(written: string, known: Iterable<string>): string | undefined {
  const atMost = Math.max(1, Math.floor(written.length / 3));
  let best: string | undefined;
  let bestSteps = atMost + 1;
  for (const name of known) {
    const steps = editSteps(written.toLowerCase(), name.toLowerCase(), bestSteps);
    if (steps < bestSteps) {
      best = name;
      bestSteps = steps;
    }
  }
  return best;
}

export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const name = nearMiss(written, known);
  return name === undefined ? undefined : `did you mean "${name}"?`;
}

/** Letters added, dropped, changed or swapped with their neighbour between two words; gives up at `enough`. */
function editSteps(from: string, to: string, enough: number): number {
  if (Math.abs(from.length - to.length) >= enough) return enough;
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      let steps = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        steps = Math.min(steps, before[j - 2]! + 1);
      }
      next.push(steps);
    }
    before = row;
    row = next;
  }
  return row[to.length]!;
}
