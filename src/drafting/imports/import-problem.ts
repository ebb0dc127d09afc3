/** The reason why a file cannot be imported: position, problem and remedy. It contains names, never values. */
export class ImportProblem extends Error {
  override readonly name = "ImportProblem";

  constructor(where: string, problem: string, instead?: string) {
    super(`${where}: ${problem}${instead === undefined ? "" : ` (${instead})`}`);
  }
}

/** The position of a character as `file:line:column`. */
export function locationIn(file: string, text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
}
