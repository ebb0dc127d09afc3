import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DataFile } from "../sdk/source.ts";
import { LoadError } from "../terms/load-error.ts";
import type { LoadedSources } from "./load-sources.ts";

export interface ReplacedData {
  readonly files: readonly {
    readonly source: string;
    readonly file: string;
    /** The date of the data. */
    readonly date: string;
    /** `false` if the service's own data is at least as new and stays in use. */
    readonly used: boolean;
  }[];
  readonly problems: readonly LoadError[];
}

/** Replaces the data of sources by newer files of the operator. */
export async function replaceData(folder: string | undefined, all: LoadedSources["all"]): Promise<ReplacedData> {
  if (folder === undefined) return { files: [], problems: [] };
  const root = resolve(folder);
  if (!existsSync(root)) return { files: [], problems: [new LoadError(root, "there is no such folder")] };
  const known = new Map<string, { readonly source: string; readonly file: DataFile }>();
  for (const [id, { source }] of all)
    for (const { file } of source.declaration.data ?? [])
      if (file !== undefined) known.set(file.name, { source: id, file });
  const files: ReplacedData["files"][number][] = [];
  const problems: LoadError[] = [];
  // Editors and Kubernetes volumes create hidden files.
  for (const name of readdirSync(root).filter((name) => !name.startsWith("."))) {
    const path = join(root, name);
    const found = known.get(name);
    if (found === undefined) {
      problems.push(
        new LoadError(path, `no source has a data file of this name: known are ${[...known.keys()].join(", ")}`),
      );
      continue;
    }
    try {
      files.push({ source: found.source, file: path, ...(await found.file.replace(path)) });
    } catch (thrown) {
      problems.push(
        new LoadError(path, `it cannot be used as data of ${found.source}: ${(thrown as Error).message}`, thrown),
      );
    }
  }
  return { files, problems };
}
