import { readdirSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps. */
const SETTLED_AFTER_MS = 100;
const WATCHED = /\.(ts|mts|cts|js|mjs|cjs|json|ya?ml)$/;

/**
 * Reports which files of a project have changed, shortly after the last change. The project folder and its subfolders are
 * watched, except those whose names begin with a dot (one may be the data directory) and packages.
 */
export function watchProject(project: string, changed: (files: ReadonlySet<string>) => void): () => void {
  const folders = new Map<string, FSWatcher>();
  let files = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(file: string): void {
    if (!WATCHED.test(file) || isLeftOut(file.slice(project.length + 1))) return;
    files.add(file);
    soon();
  }

  function soon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const told = files;
      files = new Set();
      changed(told);
    }, SETTLED_AFTER_MS);
  }

  /** A new folder is watched from now on, and the files already in it count as new. */
  function watchFolders(atStart: boolean): void {
    for (const entry of readdirSync(project, { withFileTypes: true })) {
      const folder = join(project, entry.name);
      if (!entry.isDirectory() || isLeftOut(entry.name) || folders.has(folder)) continue;
      const watcher = watch(folder, { recursive: true }, (_event, name) => {
        if (name !== null) note(join(folder, name));
      });
      watcher.on("error", () => forget(folder));
      folders.set(folder, watcher);
      if (!atStart) soon();
    }
  }

  /** The folder was deleted. If it is created again, it is watched again. */
  function forget(folder: string): void {
    folders.get(folder)?.close();
    folders.delete(folder);
    soon();
  }

  const top = watch(project, (_event, name) => {
    if (name !== null) note(join(project, name));
    const present = new Set(readdirSync(project).map((entry) => join(project, entry)));
    for (const folder of folders.keys()) if (!present.has(folder)) forget(folder);
    watchFolders(false);
  });
  watchFolders(true);
  return () => {
    clearTimeout(timer);
    top.close();
    for (const watcher of folders.values()) watcher.close();
  };
}

function isLeftOut(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part.startsWith(".") || part === "node_modules");
}
