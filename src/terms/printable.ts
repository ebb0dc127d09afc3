import { stripVTControlCharacters } from "node:util";

/** Text from outside, made safe to print on a terminal. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{C}/gu, "\ufffd");
}

/** The same for a text of several lines, which may have tabs. */
export function printableLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, printable);
}
