import { stripVTControlCharacters } from "node:util";

/** Text that someone else chose, without power over the terminal it is shown on. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{C}/gu, "\ufffd");
}
