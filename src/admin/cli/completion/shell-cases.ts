import type { CommandNode, CompletedOption } from "./command-tree.ts";

/** Quotes a text for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The patterns of a `case` for the words of all nodes. */
export function nodePatterns(tree: readonly CommandNode[]): string {
  return tree.flatMap(({ words }) => (words === "" ? [] : [quoted(words)])).join(" | ");
}

/** The nodes with an option whose value is of this kind, as patterns of a `case` over node and option. */
export function optionPatterns(tree: readonly CommandNode[], takes: (option: CompletedOption) => boolean): string {
  return tree
    .flatMap(({ words, options }) => options.filter(takes).map(({ word }) => quoted(`${words} ${word}`)))
    .join(" | ");
}

/** The options with a list of values, grouped by the list. */
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
