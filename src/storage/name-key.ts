/** Enough to distinguish names by their prefix. */
const CHARACTERS_MAX = 50;

/**
 * The key for finding a row by its name: the name in lower case, as hexadecimal digits, because databases differ in the
 * order and the lower case of letters. The key of a name's prefix is a prefix of the name's key.
 */
export function nameKey(name: string): string {
  const folded = [...name.toLowerCase()].slice(0, CHARACTERS_MAX).join("");
  return Buffer.from(folded, "utf8").toString("hex");
}
