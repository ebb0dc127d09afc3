import type { CommandNode } from "./command-tree.ts";
import { optionPatterns, nodePatterns, quoted, valueLists } from "./shell-cases.ts";

/** Also for the bash 3.2 of macOS, which has no `mapfile` and no `compopt`. */
export function bashScript(tree: readonly CommandNode[]): string {
  const lists = [...valueLists(tree)].map(([patterns, list]) => `    ${patterns}) list=${quoted(list)} ;;`);
  const nodes = tree.map(({ words, next, options }) => {
    const names = (next.length > 0 ? next : options).map(({ word }) => word).join(" ");
    const dashed = options.map(({ word }) => word).join(" ");
    return `        ${quoted(words)}) list=${quoted(names)} options=${quoted(dashed)} ;;`;
  });
  return `# Completes datarun in bash. Written by: datarun completion bash
_datarun() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" known="" list="" options="" at try
  # bash takes --option=value apart at the equals sign.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for (( at = 1; at < COMP_CWORD; at++ )); do
    try="\${known:+$known }\${COMP_WORDS[at]}"
    case "$try" in
      ${nodePatterns(tree)}) known="$try" ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  local IFS=$'\\n'
  case "$known $prev" in
    ${optionPatterns(tree, ({ takes }) => takes === "folder")})
      compopt -o filenames 2> /dev/null
      COMPREPLY=( $(compgen -d -- "$cur") )
      return ;;
    ${optionPatterns(tree, ({ takes }) => takes === "file")})
      compopt -o filenames 2> /dev/null
      COMPREPLY=( $(compgen -f -- "$cur") )
      return ;;
${lists.join("\n")}
    ${optionPatterns(tree, ({ takes }) => takes === "anything")}) return ;;
    *)
      case "$known" in
${nodes.join("\n")}
      esac
      [[ $cur == -* ]] && list="$options" ;;
  esac
  IFS=$' \\n'
  COMPREPLY=( $(compgen -W "$list" -- "$cur") )
}
complete -F _datarun datarun
`;
}
