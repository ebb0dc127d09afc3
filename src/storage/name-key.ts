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

/**
 * The possible keys of names with this prefix. A key keeps the Unicode form in which a name was typed, and systems
 * differ in it: some write é as two characters. A final sigma in the prefix may not be final in the name.
 */
export function nameKeysOf(text: string): ReadonlySet<string> {
  const forms = [text, text.normalize("NFC"), text.normalize("NFD")];
  return new Set(forms.flatMap((form) => [nameKey(form), nameKey(form.toLowerCase().replace(/ς$/, "σ"))]));
}
