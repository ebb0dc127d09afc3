import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { syncDirectory } from "../terms/platform/make-directory.ts";
import { HOUR_MS } from "../terms/time/durations.ts";
import { type BackupManifest, readManifest } from "./backup-manifest.ts";

/*
 * A backup is written to a folder whose name ends in `.incomplete`, and is renamed when all of it is on disk. The name
 * is the start time, so that names sort by time.
 */

const NAME = /^datarun-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
const INCOMPLETE = ".incomplete";
/** A folder without a write for this time belongs to a backup that was killed. */
const ABANDONED_MS = HOUR_MS;

function nameAt(wallAt: number): string {
  return `datarun-${new Date(wallAt).toISOString().replaceAll(/[:.]/g, "-")}`;
}

export interface UnfinishedFolder {
  readonly path: string;
  /** Renames the folder to its final name and returns the new path. Call it when all files are on disk. */
  complete(): string;
  remove(): void;
}

/** Creates the folder of one backup. `dir` must exist. */
export function makeUnfinished(dir: string, wallAt: number): UnfinishedFolder {
  const own = join(dir, nameAt(wallAt));
  const path = own + INCOMPLETE;
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    complete() {
      // A rename would replace an existing empty folder.
      if (existsSync(own)) throw Object.assign(new Error(`${own} exists`), { code: "EEXIST" });
      renameSync(path, own);
      syncDirectory(dir);
      return own;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export interface FoundBackup {
  readonly name: string;
  readonly manifest: BackupManifest;
}

/** The complete backups in a folder, oldest first. */
export function completeBackups(dir: string): readonly FoundBackup[] {
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => NAME.test(name)) : [];
  return names.toSorted().flatMap((name) => {
    const manifest = readManifest(join(dir, name));
    return manifest === null ? [] : [{ name, manifest }];
  });
}

export function isIncomplete(folder: string): boolean {
  return folder.endsWith(INCOMPLETE);
}

/**
 * Removes older complete backups of the same journal, and keeps the newest `keep`. Never removes the backup that was
 * just made, even if the clock was set back. Returns the names of the removed ones.
 */
export function removeOlder(dir: string, made: FoundBackup, keep: number): readonly string[] {
  const others = completeBackups(dir).filter(
    ({ name, manifest }) => name !== made.name && manifest.journal === made.manifest.journal,
  );
  const removed = others.slice(0, Math.max(0, others.length - (keep - 1))).map(({ name }) => name);
  for (const name of removed) {
    // Renamed first, because a partly removed backup must not count as complete.
    renameSync(join(dir, name), join(dir, name + INCOMPLETE));
    rmSync(join(dir, name + INCOMPLETE), { recursive: true, force: true });
  }
  return removed;
}

/** Removes the remains of killed backups. */
export function removeAbandoned(dir: string, wallAt: number): void {
  for (const name of readdirSync(dir)) {
    if (!isIncomplete(name) || !NAME.test(name.slice(0, -INCOMPLETE.length))) continue;
    const path = join(dir, name);
    if (wallAt - lastWrittenAt(path) > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

function lastWrittenAt(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const times = ["", ...names].map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}
