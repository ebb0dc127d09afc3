/** The line number at the start of a broken file's reason (`3:17: …`), if it has one. */
export function lineOf(reason: string): number | null {
  const [, line] = /^(\d+):\d+: /.exec(reason) ?? [];
  return line === undefined ? null : Number(line);
}
