import { stripVTControlCharacters } from "node:util";

/** Control and formatting characters, and characters that some readers treat as line ends. */
const UNSAFE = /[\p{C}\u2028\u2029]/gu;

/** Text from outside, made safe to print on a terminal. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(UNSAFE, "\ufffd");
}

/** The same for a text of several lines, which may contain tabs. */
export function printableLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, printable);
}

/** JSON on one line that is equally safe to print, and parses to the same value. */
export function printableJson(value: unknown): string {
  return printableJsonText(JSON.stringify(value));
}

/** The same for a text that is already JSON, with one value per line. JSON itself escapes nothing beyond U+001F. */
export function printableJsonText(text: string): string {
  // Almost every text is safe, and this test is much faster.
  return /[^\n\x20-\x7e]/.test(text) ? text.replaceAll(UNSAFE, escaped) : text;
}

function escaped(character: string): string {
  if (character === "\n") return character;
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
