import { ImportProblem, locationIn } from "./import-problem.ts";

/** One word of a command, without quotes. A shell variable becomes an input in braces: `$NUMBER` becomes `{number}`. */
export interface Word {
  readonly text: string;
  /** Its offset in the file. */
  readonly at: number;
}

/** One part of a word, plain, quoted or special. */
const PART =
  /(?<plain>[^\s\\'"$`|;&<>()^]+)|'(?<single>[^']*)'|\$'(?<ansi>(?:[^'\\]|\\[^])*)'|"(?<double>(?:[^"\\`$]|\$(?!\()|\\[^])*)"|\\(?<escaped>[^\n])|(?<variable>\$\{?[A-Za-z_][A-Za-z0-9_]*\}?)|(?<dollar>\$)(?![('"{])/y;

/**
 * Splits the only command in a text into words, by the quoting rules of bash. @throws ImportProblem for expansions that
 * need a shell, and for anything after the command
 */
export function shellWords(text: string, file: string): readonly Word[] {
  const words: Word[] = [];
  let word: { text: string; at: number } | null = null;
  let ended = false;
  for (let at = 0; at < text.length;) {
    const gap = /(?:[ \t]|\\\r?\n)+|\r?\n/y;
    gap.lastIndex = at;
    const space = gap.exec(text)?.[0];
    if (space !== undefined || (word === null && text[at] === "#")) {
      if (word !== null) words.push(word);
      word = null;
      ended ||= words.length > 0 && space !== undefined && /^\r?\n/.test(space);
      at = space === undefined ? (text.indexOf("\n", at) + 1 || text.length + 1) - 1 : at + space.length;
      continue;
    }
    if (ended)
      throw new ImportProblem(
        locationIn(file, text, at),
        "something follows the command",
        "give only one command, with a \\ at the end of each line except the last",
      );
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (found === null) refuseAt(text, at, file);
    word ??= { text: "", at };
    word.text += textOf(found.groups!);
    at = PART.lastIndex;
  }
  if (word !== null) words.push(word);
  return words;
}

function textOf({ plain, single, ansi, double, escaped, variable, dollar }: Partial<Record<string, string>>): string {
  if (ansi !== undefined) return ansi.replaceAll(ESCAPE, unescape);
  if (variable !== undefined) return named(variable);
  if (double !== undefined)
    return double.replaceAll(/\\\r?\n|\\([$`"\\])|(\$\{?[A-Za-z_]\w*\}?)/g, (_, letter?: string, inner?: string) =>
      inner === undefined ? (letter ?? "") : named(inner),
    );
  return plain ?? single ?? escaped ?? dollar ?? "";
}

function named(variable: string): string {
  return `{${variable.replaceAll(/[${}]/g, "").toLowerCase()}}`;
}

const ESCAPE = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([0-7]{1,3})|c(.)|([^]))/gi;
const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function unescape(
  whole: string,
  x?: string,
  u?: string,
  U?: string,
  octal?: string,
  control?: string,
  letter?: string,
): string {
  const hex = x ?? u ?? U;
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
  if (control !== undefined) return String.fromCodePoint(control.toUpperCase().charCodeAt(0) % 32);
  return letter === undefined ? whole : (LETTERS[letter] ?? (/[\\'"?]/.test(letter) ? letter : whole));
}

function refuseAt(text: string, at: number, file: string): never {
  const sign = text[at]!;
  const [problem, instead] = /^(?:"(?:[^"\\`$]|\$(?!\()|\\[^])*)?(?:`|\$\()/.test(text.slice(at))
    ? ["a part of it is the output of another command", "write {name} for the value"]
    : sign === "'" || sign === '"' || text.startsWith("$'", at)
      ? ["a quote is not closed"]
      : sign === "^"
        ? ['"^" is the quoting of Windows', "copy the command as it is for bash"]
        : sign === "&"
          ? ['the shell ends the command at "&"', "put the address in single quotes"]
          : sign === "$"
            ? ["this is expanded by the shell", "write {name} for the value"]
            : [`the shell ends the command at "${sign}"`, "give the command alone, and put addresses in single quotes"];
  throw new ImportProblem(locationIn(file, text, at), problem!, instead);
}
