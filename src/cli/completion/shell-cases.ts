import { type CommandNode, type CompletedOption, isIdOf } from "./command-tree.ts";

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

/**
 * Completes an id, and is done, where one comes next: after an option, or right after the words of a command. Needs
 * `_datarun_complete_ids`, which fails if it knows none.
 * @param isNext a condition: no word follows those of the command
 */
export function idLines(tree: readonly CommandNode[], isNext: string): string {
  const kinds = new Set(
    tree.flatMap(({ names, options }) => [
      ...(names === null ? [] : [names]),
      ...options.flatMap(({ takes }) => (isIdOf(takes) ? [takes.kind] : [])),
    ]),
  );
  const cases = (indent: string, patternsOf: (kind: string) => string): string =>
    [...kinds]
      .flatMap((kind) => (patternsOf(kind) === "" ? [] : [`${indent}${patternsOf(kind)}) kind=${kind} ;;`]))
      .join("\n");
  const named = (kind: string) => tree.flatMap(({ words, names }) => (names === kind ? [quoted(words)] : []));
  return `  case "$known $prev" in
${cases("    ", (kind) => optionPatterns(tree, ({ takes }) => isIdOf(takes) && takes.kind === kind))}
  esac
  if [[ -n $kind ]]; then
    _datarun_complete_ids "$kind"
    return
  fi
  if ${isNext}; then
    case "$known" in
${cases("      ", (kind) => named(kind).join(" | "))}
    esac
    [[ -n $kind ]] && _datarun_complete_ids "$kind" && return
  fi`;
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
