import { type CommandNode, type CompletedOption, isIdOf } from "./command-tree.ts";

export function fishScript(tree: readonly CommandNode[]): string {
  const lines = tree.flatMap(({ words, next, options, names }) => {
    const at = `-n ${quoted(`__datarun_is ${quoted(words)}`)}`;
    return [
      ...(names === null
        ? []
        : [`complete -c datarun -n ${quoted(`__datarun_ends ${quoted(words)}`)} -f -k -a ${idsOf(names)}`]),
      ...next.map(({ word, says }) => `complete -c datarun ${at} -f -a ${quoted(word)}${about(says)}`),
      ...options.map(
        (option) => `complete -c datarun ${at} -l ${option.word.slice(2)}${valueOf(option)}${about(option.says)}`,
      ),
    ];
  });
  const places = tree.flatMap(({ words }) => (words === "" ? [] : [quoted(words)])).join(" ");
  return `# Completes datarun in fish. Written by: datarun completion fish
function __datarun_is
    set -l known
    for word in (commandline -opc)[2..-1]
        contains -- (string join ' ' -- $known $word) ${places}
        or break
        set -a known $word
    end
    test "$known" = "$argv[1]"
end
function __datarun_ends
    set -l typed (commandline -opc)[2..-1]
    test "$typed" = "$argv[1]"
end
# The ids of a kind with their names, as commands at the same place have kept them.
function __datarun_ids
    set -l line (commandline -pc)
    set -l remote (string match -r -- ' --remote[= ](\\S+) ' $line)[2] $DATARUN_REMOTE
    set -l data_dir (string match -r -- ' --data-dir[= ](\\S+) ' $line)[2] $DATARUN_DATA_DIR
    set -l project (string match -r -- ' --project[= ](\\S+) ' $line)[2] $DATARUN_PROJECT
    set -l where (string match -v '' -- $data_dir[1] $project[1] .)[1]
    set where (string replace -r '^\\./|^\\.$' '' -- $where | string replace -r '/$' '')
    string match -q '/*' -- $where
    or set where (string replace -r '/$' '' -- (string replace -r '/$' '' -- $PWD)/$where)
    if test -n "$DATABASE_URL_FILE"
        set where "$where $DATABASE_URL_FILE"
    else if test -n "$DATABASE_URL"
        set where "$where "(string replace -r '\\?.*' '' -- $DATABASE_URL | string replace -r '^.*?://' '' | string replace -r '^.*@' '')
    end
    test -n "$remote[1]"
    and set where (string replace -r '/$' '' -- $remote[1])
    set -l folder $HOME/.cache
    string match -q '/*' -- $XDG_CACHE_HOME
    and set folder $XDG_CACHE_HOME
    for file in $folder/datarun/ids/*
        read -z text < $file
        set -l lines (string split \\n -- $text)
        test "$lines[1]" = "$where"
        and string replace -rf "^$argv[1]\\t" '' -- $lines
    end
end
complete -c datarun -f
${lines.join("\n")}
`;
}

function valueOf({ takes }: CompletedOption): string {
  if (takes === "nothing") return "";
  if (takes === "anything") return " -x";
  if (takes === "folder") return ` -x -a ${quoted("(__fish_complete_directories)")}`;
  if (isIdOf(takes)) return ` -x -k -a ${idsOf(takes.kind)}`;
  return takes === "file" ? " -r -F" : ` -x -a ${quoted(takes.join(" "))}`;
}

function idsOf(kind: string): string {
  return quoted(`(__datarun_ids ${kind})`);
}

function about(says: string): string {
  return says === "" ? "" : ` -d ${quoted(says)}`;
}

/** In single quotes fish reads only these two as something else. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
