/**
 * A function for bash and for zsh that adds the ids of a kind to the array `ids`, and their names to `said`, as commands at
 * the same place have kept them (`id-cache.ts`); the place is worked out as in `typed-where.ts`. It starts no program.
 * @param files the pattern for the files of a folder, nothing if there are none
 */
export function readIdsFunction(files: string): string {
  const given = ["remote", "data-dir", "project"].map((name) => {
    const variable = name.replace("-", "_");
    return `  case "$line" in *" --${name} "* | *" --${name}="*) rest="\${line#* --${name}?}"; ${variable}="\${rest%% *}" ;; esac`;
  });
  return `_datarun_read_ids() {
  local line="$1 " kind="$2" rest where folder="\${XDG_CACHE_HOME-}" file first each id says
  local remote="\${DATARUN_REMOTE-}" data_dir="\${DATARUN_DATA_DIR-}" project="\${DATARUN_PROJECT-}"
${given.join("\n")}
  where="\${data_dir:-\${project:-.}}"
  where="\${where#./}"
  [[ $where == . ]] && where=""
  where="\${where%/}"
  [[ $where == /* ]] || where="\${PWD%/}/$where"
  where="\${where%/}"
  if [[ -n \${DATABASE_URL_FILE-} ]]; then where="$where $DATABASE_URL_FILE"
  elif [[ -n \${DATABASE_URL-} ]]; then
    rest="\${DATABASE_URL%%\\?*}"
    rest="\${rest#*://}"
    where="$where \${rest##*@}"
  fi
  [[ -n $remote ]] && where="\${remote%/}"
  [[ $folder == /* ]] || folder="\${HOME-}/.cache"
  for file in "$folder"/datarun/ids/${files}; do
    [[ -r $file ]] || continue
    {
      IFS= read -r first
      [[ $first == "$where" ]] || continue
      while IFS=$'\\t' read -r each id says; do
        [[ $each == "$kind" ]] && ids+=("$id") && said+=("$says")
      done
    } < "$file"
  done
}
`;
}
