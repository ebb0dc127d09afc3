/** Why a file cannot be imported: the position, and what to do instead. It contains names, and never a value. */
export class ImportProblem extends Error {
  override readonly name = "ImportProblem";

  constructor(where: string, problem: string, instead?: string) {
    super(`${where}: ${problem}${instead === undefined ? "" : ` (${instead})`}`);
  }
}

/** `file:line:column` of a character. */
export function placeIn(file: string, text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
}
