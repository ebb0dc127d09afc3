import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { shellWord } from "../terms/text/shell-word.ts";
import { INSTALLED_AT } from "./package-root.ts";

/** npm adds these folders to the path of scripts and commands that it runs. A person's shell does not have them. */
const OF_PACKAGES = join("node_modules", ".bin");

/**
 * How a person starts this program from a folder: `datarun` if the shell finds it; `npx datarun` if npx finds it
 * without a registry, which would install another program; otherwise `node` with the path of its file.
 */
export function programName(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
  root = INSTALLED_AT,
): string {
  const file = join(root, "bin", "datarun.mjs");
  const launcher = realpathOf(file) ?? file;
  const path = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((each) => each !== "" && !each.endsWith(OF_PACKAGES));
  const inPath = (name: string) => path.map((each) => realpathOf(join(each, name))).find((file) => file !== null);
  if (inPath("datarun") === launcher) return "datarun";
  const npmFolder = npmFolderOf(folder);
  const isNpx = environment["npm_lifecycle_event"] === "npx" || isFoundByNpx(npmFolder, root, launcher);
  if (isNpx && inPath("npx") !== undefined) return "npx datarun";
  const node = inPath("node") === undefined ? process.execPath : "node";
  return `${shellWord(node)} ${shellWord(file)}`;
}

function isFoundByNpx(folder: string | null, root: string, launcher: string): boolean {
  if (folder === null) return false;
  return realpathOf(folder) === realpathOf(root) || realpathOf(join(folder, OF_PACKAGES, "datarun")) === launcher;
}

/**
 * The folder whose packages npm uses in another folder: the folder itself, or its nearest parent with a package.json or
 * packages.
 */
function npmFolderOf(folder: string): string | null {
  if (["package.json", "node_modules"].some((name) => existsSync(join(folder, name)))) return folder;
  const above = dirname(folder);
  return above === folder ? null : npmFolderOf(above);
}

function realpathOf(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}
