/** One comparison takes some nanoseconds, and every file of a package is compared with all its patterns. */
const COMPARISONS_MAX = 1_000_000;
/** Alternatives, classes and escapes, which are not supported. */
const MORE = /[[{(\\]/;

/**
 * Whether a path matches one of the patterns, in which `*` and `?` stand for characters of one name and `**` for any
 * number of folders. `null` if that is not known, because a pattern has other operators or the patterns are too long.
 * No library is used, because the author of a package writes its patterns: alternatives can multiply, and asterisks can
 * take exponential time.
 */
export function fitsOneOf(path: string, patterns: readonly string[]): boolean | null {
  const characters = patterns.reduce((sum, { length }) => sum + length + 1, 0);
  if (characters * path.length > COMPARISONS_MAX || patterns.some((pattern) => MORE.test(pattern))) return null;
  const names = path.split("/");
  return patterns.some((pattern) => fits(names, pattern.split("/"), "**", fitsName));
}

function fitsName(name: string, pattern: string): boolean {
  return fits(name, pattern, "*", (character, part) => part === "?" || part === character);
}

/**
 * Matches a list of items, in which `any` stands for any number of items. On a mismatch only the last `any` takes one
 * more item, so no item is compared twice with the same part.
 */
function fits(
  items: ArrayLike<string>,
  parts: ArrayLike<string>,
  any: string,
  isLike: (item: string, part: string) => boolean,
): boolean {
  let [item, part] = [0, 0];
  let [againItem, againPart] = [0, -1];
  while (item < items.length) {
    if (part < parts.length && parts[part] === any) {
      part += 1;
      [againItem, againPart] = [item, part];
    } else if (part < parts.length && isLike(items[item]!, parts[part]!)) {
      item += 1;
      part += 1;
    } else if (againPart !== -1) {
      againItem += 1;
      [item, part] = [againItem, againPart];
    } else return false;
  }
  while (part < parts.length && parts[part] === any) part += 1;
  return part === parts.length;
}
