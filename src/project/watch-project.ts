import { type Dirent, readdirSync, statSync, watch, type FSWatcher } from "node:fs";
import { basename, join } from "node:path";

/** Editors write a file in several steps, so a change is reported when two consecutive snapshots are equal. */
const BETWEEN_LOOKS_MS = 50;
/**
 * The interval of polling. Some file systems do not notify of every change: network and container file systems, and
 * links to files elsewhere.
 */
const LOOK_AGAIN_MS = 2_000;
/** Declarations have no code; `datarun dev` writes one itself. */
const WATCHED = /(?<!\.d)\.(ts|mts|cts|js|mjs|cjs|json|ya?ml)$|^datarun\.lock$/;

interface Snapshot {
  readonly folders: ReadonlySet<string>;
  /** A text for each watched file that changes whenever the file is written or replaced. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Reports which files of a project were changed, created or deleted, shortly after the last change. The project folder
 * and its subfolders are watched, except packages and folders whose names begin with a dot (one may be the data
 * directory).
 * Each folder has a watcher, because a watcher of a file stays with the old file when another is renamed over it. A
 * notification only triggers a snapshot; the changes are the differences of two snapshots.
 */
export function watchProject(
  project: string,
  changed: (files: ReadonlySet<string>) => void,
  lookAgainMs = LOOK_AGAIN_MS,
): () => void {
  const watchers = new Map<string, FSWatcher>();
  let before = takeSnapshot(project);
  let unreported = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function lookSoon(): void {
    timer ??= setTimeout(look, BETWEEN_LOOKS_MS);
  }

  function look(): void {
    timer = undefined;
    const now = takeSnapshot(project);
    watchAll(now.folders);
    const found = differences(before.files, now.files);
    before = now;
    if (found.length > 0) {
      for (const file of found) unreported.add(file);
      lookSoon();
    } else if (unreported.size > 0) {
      const files = unreported;
      unreported = new Set();
      changed(files);
    }
  }

  function watchAll(folders: ReadonlySet<string>): void {
    for (const folder of watchers.keys()) if (!folders.has(folder)) unwatch(folder);
    for (const folder of folders) if (!watchers.has(folder)) watchFolder(folder);
  }

  function watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, (_event, name) => {
        // The folder itself was moved or deleted. Another may have its path now.
        if (name === basename(folder)) unwatch(folder);
        lookSoon();
      });
      watcher.on("error", () => unwatch(folder));
      watchers.set(folder, watcher);
      // Changes between the snapshot and the watcher were not notified.
      lookSoon();
    } catch {
      // It was deleted, or the system allows no more watchers: then its changes are found by looking again.
    }
  }

  function unwatch(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  watchAll(before.folders);
  const again = setInterval(lookSoon, lookAgainMs);
  return () => {
    clearInterval(again);
    clearTimeout(timer);
    for (const folder of watchers.keys()) unwatch(folder);
  };
}

function takeSnapshot(project: string): Snapshot {
  const folders = new Set<string>();
  const files = new Map<string, string>();
  const visit = (folder: string): void => {
    folders.add(folder);
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) visit(path);
      else if (WATCHED.test(entry.name)) {
        const version = versionOf(path);
        if (version !== null) files.set(path, version);
      }
    }
  };
  visit(project);
  return { folders, files };
}

/** The entries of a folder; none if it was deleted in the meantime. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function versionOf(file: string): string | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

function differences(before: Snapshot["files"], now: Snapshot["files"]): readonly string[] {
  return [...new Set([...before.keys(), ...now.keys()])].filter((file) => before.get(file) !== now.get(file));
}
