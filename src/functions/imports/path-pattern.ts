/** One comparison takes some nanoseconds, and every file of a package is compared with all of its patterns. */
const COMPARISONS_MAX = 1_000_000;
/** Alternatives, classes and escapes: more than is understood here. */
const MORE = /[[{(\\]/;

/**
 * Whether a path fits one of the patterns, in which `*` and `?` stand for characters of one name and `**` for any number
 * of folders. A pattern is written by the author of a package, so no library looks at it: alternatives can multiply, and
 * asterisks can take for ever. `null`: that is not known, because a pattern says more than that, or the patterns are too
 * long.
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
 * `any` stands for any number of items. If the rest does not fit, only the last one that was passed has to take more: no
 * item is compared twice with the same part.
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
