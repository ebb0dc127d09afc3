/** One slip for short names, two for longer ones; case and the kind of separator do not count. */
export function resembles(name: string, declared: string): boolean {
  const a = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const b = declared.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const slips = b.length <= 4 ? 1 : 2;
  return a !== "" && Math.abs(a.length - b.length) <= slips && editDistance(a, b) <= slips;
}

/** Insertions, deletions, changes and swaps of neighbours that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}
