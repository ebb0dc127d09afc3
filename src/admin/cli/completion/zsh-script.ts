import type { CommandNode, Suggestion } from "./command-tree.ts";
import { optionPatterns, nodePatterns, quoted, valueLists } from "./shell-cases.ts";

export function zshScript(tree: readonly CommandNode[]): string {
  const lists = [...valueLists(tree)].map(([patterns, list]) => `    ${patterns}) compadd -- ${list}; return ;;`);
  const nodes = tree.map(({ words, next, options }) => {
    const named = next.length > 0 ? next : options;
    return `    ${quoted(words)})\n      list=(${described(named)})\n      options=(${described(options)}) ;;`;
  });
  return `#compdef datarun
# Completes datarun in zsh. Written by: datarun completion zsh
_datarun() {
  local known="" try kind="" prev="$words[CURRENT-1]"
  local -a list options
  local -i at
  if [[ $PREFIX == --*=* ]]; then
    prev="\${PREFIX%%=*}"
    compset -P 1 '*='
  fi
  for (( at = 2; at < CURRENT; at++ )); do
    try="\${known:+$known }$words[at]"
    case "$try" in
      ${nodePatterns(tree)}) known="$try" ;;
      *) break ;;
    esac
  done
  case "$known $prev" in
    ${optionPatterns(tree, ({ takes }) => takes === "folder")}) _files -/; return ;;
    ${optionPatterns(tree, ({ takes }) => takes === "file")}) _files; return ;;
${lists.join("\n")}
    ${optionPatterns(tree, ({ takes }) => takes === "anything")}) return ;;
  esac
  case "$known" in
${nodes.join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  else _describe word list
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _datarun "$@"
else compdef _datarun datarun
fi
`;
}

/** Suggestions in the format of `_describe`: `word:summary`. */
function described(suggestions: readonly Suggestion[]): string {
  return suggestions.map(({ word, says }) => quoted(says === "" ? word : `${word}:${says}`)).join(" ");
}
