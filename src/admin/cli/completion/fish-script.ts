import type { CommandNode, CompletedOption } from "./command-tree.ts";

export function fishScript(tree: readonly CommandNode[]): string {
  const lines = tree.flatMap(({ words, next, options }) => {
    const at = `-n ${quoted(`__datarun_is ${quoted(words)}`)}`;
    return [
      ...next.map(({ word, says }) => `complete -c datarun ${at} -f -a ${quoted(word)}${about(says)}`),
      ...options.map(
        (option) => `complete -c datarun ${at} -l ${option.word.slice(2)}${valueOf(option)}${about(option.says)}`,
      ),
    ];
  });
  const nodes = tree.flatMap(({ words }) => (words === "" ? [] : [quoted(words)])).join(" ");
  return `# Completes datarun in fish. Written by: datarun completion fish
function __datarun_is
    set -l known
    for word in (commandline -opc)[2..-1]
        contains -- (string join ' ' -- $known $word) ${nodes}
        or break
        set -a known $word
    end
    test "$known" = "$argv[1]"
end
complete -c datarun -f
${lines.join("\n")}
`;
}

function valueOf({ takes }: CompletedOption): string {
  if (takes === "nothing") return "";
  if (takes === "anything") return " -x";
  if (takes === "folder") return ` -x -a ${quoted("(__fish_complete_directories)")}`;
  return takes === "file" ? " -r -F" : ` -x -a ${quoted(takes.join(" "))}`;
}

function about(says: string): string {
  return says === "" ? "" : ` -d ${quoted(says)}`;
}

/** In single quotes fish interprets only these two characters. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
