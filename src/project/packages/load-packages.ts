import { hash } from "node:crypto";
import { relative, sep } from "node:path";
import type { RunnableSource } from "../../run/ports.ts";
import { loadSource, type LoadOptions, type SourceFile } from "../../sources/load-source.ts";
import { LoadError } from "../../terms/load-error.ts";
import { declaredNames } from "../../terms/schema/schema-names.ts";
import { differencesFromLock, type Lock, type LockedPackage, type LockedSource, lockFile, readLock } from "./lock.ts";
import { PackageError } from "./package-error.ts";
import { type InstalledPackage, readPackage } from "./read-package.ts";

export interface PackagedSource extends SourceFile {
  readonly file: string;
  readonly package: string;
}

export interface LoadedPackages {
  readonly sources: readonly PackagedSource[];
  readonly problems: readonly LoadError[];
}

/**
 * Loads the sources of the packages that the setting `catalogs` names. A package that differs from `datarun.lock` is a
 * problem, and none of its sources is loaded.
 */
export async function loadPackages(
  project: string | undefined,
  names: readonly string[],
  options: LoadOptions,
): Promise<LoadedPackages> {
  if (names.length === 0) return { sources: [], problems: [] };
  if (project === undefined)
    return { sources: [], problems: [new PackageError("catalogs", "packages of sources belong to a project folder")] };
  const lock = readLock(project);
  if (lock instanceof PackageError) return { sources: [], problems: [lock] };
  const sources: PackagedSource[] = [];
  const problems: LoadError[] = [];
  for (const name of new Set(names)) {
    const loaded = await loadPackage(project, name, options);
    const differences = loaded.problems.length > 0 ? [] : differencesFromLock(await lockOf(loaded), lock[name]);
    if (differences.length > 0) problems.push(new PackageError(lockFile(project), notLocked(name, lock, differences)));
    problems.push(...loaded.problems);
    if (loaded.problems.length === 0 && differences.length === 0) sources.push(...loaded.sources);
  }
  return { sources, problems };
}

function notLocked(name: string, lock: Lock, differences: readonly string[]): string {
  const what = lock[name] === undefined ? `the package ${name} is not in it` : `the package ${name} differs from it`;
  return `${what}: ${differences.join("; ")}. Read its files, then accept them with: datarun catalog lock`;
}

interface LoadedPackage extends LoadedPackages {
  readonly root: string;
  readonly version: string;
}

/** Loads one package, whatever is locked. */
export async function loadPackage(project: string, name: string, options: LoadOptions): Promise<LoadedPackage> {
  let found: InstalledPackage;
  try {
    found = readPackage(project, name);
  } catch (error) {
    if (error instanceof PackageError) return { root: "", version: "", sources: [], problems: [error] };
    throw error;
  }
  const { root, version, files } = found;
  const results = await Promise.allSettled(files.map((file) => loadSource(file, { ...options, root })));
  const sources: PackagedSource[] = [];
  const problems: LoadError[] = [];
  for (const [index, result] of results.entries()) {
    const file = files[index]!;
    if (result.status === "fulfilled") sources.push({ ...result.value, file, package: name });
    else
      problems.push(result.reason instanceof LoadError ? result.reason : new PackageError(file, String(result.reason)));
  }
  const twice = sources.find(({ source }, index) => sources.findIndex((each) => each.source.id === source.id) < index);
  if (twice !== undefined)
    problems.push(new PackageError(twice.file, `its id ${twice.source.id} is used twice in ${name}`));
  return { root, version, sources, problems };
}

/** What a lock states about a loaded package. The digests are of the texts that were loaded. */
export async function lockOf({ root, sources }: Pick<LoadedPackage, "root" | "sources">): Promise<LockedPackage> {
  const rows = sources.map(async ({ source, file, texts }): Promise<[string, LockedSource]> => {
    const [text = ""] = Object.values((await texts()).source);
    const path = relative(root, file).replaceAll(sep, "/");
    return [source.id, { file: path, sha256: hash("sha256", text, "hex"), ...reachOf(source) }];
  });
  return Object.fromEntries(await Promise.all(rows));
}

function reachOf({ declaration }: RunnableSource): Pick<LockedSource, "origins" | "credentials"> {
  const { origins = [], credentials = {} } = declaration;
  return { origins: [...origins].sort(), credentials: [...declaredNames(credentials)].sort() };
}
