/** The line that the reason of a broken file begins with (`3:17: …`), if it begins with one. */
export function lineOf(reason: string): number | null {
  const [, line] = /^(\d+):\d+: /.exec(reason) ?? [];
  return line === undefined ? null : Number(line);
}
