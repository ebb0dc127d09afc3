import type { CommandNode, CompletedOption } from "./command-tree.ts";

/** Text in single quotes, as bash and zsh read it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The patterns of a `case` for all words that are a place in the tree. */
export function placePatterns(tree: readonly CommandNode[]): string {
  return tree.flatMap(({ words }) => (words === "" ? [] : [quoted(words)])).join(" | ");
}

/** Places with an option that takes something of this kind, as patterns of a `case` over the place and the option. */
export function optionPatterns(tree: readonly CommandNode[], takes: (option: CompletedOption) => boolean): string {
  return tree
    .flatMap(({ words, options }) => options.filter(takes).map(({ word }) => quoted(`${words} ${word}`)))
    .join(" | ");
}

/** The options that take one of a few values, by those values. */
export function valueLists(tree: readonly CommandNode[]): ReadonlyMap<string, string> {
  const lists = new Set(
    tree.flatMap(({ options }) => options.flatMap(({ takes }) => (Array.isArray(takes) ? [takes.join(" ")] : []))),
  );
  return new Map(
    [...lists].map((list) => [
      optionPatterns(tree, ({ takes }) => Array.isArray(takes) && takes.join(" ") === list),
      list,
    ]),
  );
}
