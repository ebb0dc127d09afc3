/** Enough to tell names apart by their beginning. */
const CHARACTERS_MAX = 50;

/**
 * A name by which its row is found: in lower case, and as hexadecimal digits, because databases differ in how they
 * order letters, and in what is the lower case of one. The key of a name's beginning is the beginning of its key.
 */
export function nameKey(name: string): string {
  const folded = [...name.toLowerCase()].slice(0, CHARACTERS_MAX).join("");
  return Buffer.from(folded, "utf8").toString("hex");
}
