import { stripVTControlCharacters } from "node:util";

/** Text from outside, made safe to print on a terminal. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{C}/gu, "\ufffd");
}
