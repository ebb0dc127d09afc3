import { renameSync, writeFileSync } from "node:fs";
import type { LockedCatalogs } from "../../admin/ports.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { createSchemas } from "../../terms/schema/author-schemas.ts";
import { loadPackage, lockOf } from "./load-packages.ts";
import { differencesFromLock, type Lock, lockFile, lockText, readLock } from "./lock.ts";
import { PackageError } from "./package-error.ts";

/**
 * Compares the installed packages of the setting `catalogs` with `datarun.lock`. Writes the lock if `write` is true.
 * @throws OperatorError for a package that cannot be used, whatever is locked
 */
export async function lockCatalogs(project: string, names: readonly string[], write: boolean): Promise<LockedCatalogs> {
  const file = lockFile(project);
  const lock = readLock(project);
  // A lock that cannot be read is written anew, with everything in it as new.
  const before = lock instanceof PackageError ? {} : lock;
  const packages: LockedCatalogs["packages"][number][] = [];
  const next: Record<string, Lock[string]> = {};
  for (const name of new Set(names)) {
    const loaded = await loadPackage(project, name, { schemas: createSchemas(), compile: "now" });
    if (loaded.problems.length > 0)
      throw new OperatorError("refused", loaded.problems.map(({ message }) => message).join("\n"));
    next[name] = await lockOf(loaded);
    const differences = differencesFromLock(next[name], before[name]);
    packages.push({ name, version: loaded.version, sources: loaded.sources.length, differences });
  }
  for (const name of Object.keys(before).filter((each) => !names.includes(each)))
    packages.push({ name, version: "", sources: 0, differences: ["it is no longer in the setting `catalogs`"] });
  const text = lockText(next);
  if (write && (packages.length > 0 || Object.keys(before).length > 0)) {
    writeFileSync(`${file}.part`, text);
    renameSync(`${file}.part`, file);
  }
  return { file, packages };
}
