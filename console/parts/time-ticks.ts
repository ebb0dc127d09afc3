/** Positions of the grid lines from 0 to `totalMs`: round times, at most `most`, including 0. */
export function ticksOf(totalMs: number, most = 6): readonly number[] {
  if (!(totalMs > 0)) return [0];
  const rough = totalMs / most;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * magnitude).find((size) => size >= rough)!;
  const ticks: number[] = [];
  for (let at = 0; at <= totalMs; at += step) ticks.push(Math.round(at * 1_000) / 1_000);
  return ticks;
}

/** The label of a grid line, such as `250 ms` or `1.5 s`. */
export function tickText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms) / 1_000} s`;
}
