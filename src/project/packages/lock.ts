import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../../terms/json/json.ts";
import { PackageError } from "./package-error.ts";

/** What `datarun.lock` states about a source of a package: everything that decides what it can reach and is given. */
export interface LockedSource {
  /** Its path in the package. */
  readonly file: string;
  /** SHA-256 of its text, as `sha256sum` prints it. */
  readonly sha256: string;
  readonly origins: readonly string[];
  /** The names of the credential fields that it asks for. */
  readonly credentials: readonly string[];
}

/** The sources of a package, by id. */
export type LockedPackage = Readonly<Record<string, LockedSource>>;

/** The content of `datarun.lock`, by the name of the package. */
export type Lock = Readonly<Record<string, LockedPackage>>;

export function lockFile(project: string): string {
  return join(project, "datarun.lock");
}

/** The lock of a project, empty if it has none; or why it cannot be read. */
export function readLock(project: string): Lock | PackageError {
  const file = lockFile(project);
  try {
    const lock: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isLock(lock)) return lock;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    return new PackageError(file, `it cannot be read (${(error as Error).message}). ${WRITE}`, error);
  }
  return new PackageError(file, `it is not a lock of catalog packages. ${WRITE}`);
}

const WRITE = "Write it with: datarun catalog lock";

/** The text of a lock, sorted, so that a difference of two versions is what has changed. */
export function lockText(lock: Lock): string {
  const packages = sorted(lock).map(([name, sources]) => [name, Object.fromEntries(sorted(sources))] as const);
  return `${JSON.stringify(Object.fromEntries(packages), null, 2)}\n`;
}

function sorted<Value>(record: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function isLock(value: unknown): value is Lock {
  const isText = (each: unknown) => typeof each === "string";
  const isTexts = (each: unknown) => Array.isArray(each) && each.every(isText);
  const isSource = (each: unknown) =>
    isJsonObject(each) &&
    isText(each["file"]) &&
    isText(each["sha256"]) &&
    isTexts(each["origins"]) &&
    isTexts(each["credentials"]);
  return (
    isJsonObject(value) &&
    Object.values(value).every((each) => isJsonObject(each) && Object.values(each).every(isSource))
  );
}

/** The differences of a package from the lock, each a part of a sentence; none if it is as locked. */
export function differencesFromLock(found: LockedPackage, locked: LockedPackage | undefined): readonly string[] {
  if (locked === undefined && Object.keys(found).length === 0) return [];
  const ids = [...new Set([...Object.keys(found), ...Object.keys(locked ?? {})])].sort();
  return ids.flatMap((id) => {
    const [now, before] = [found[id], locked?.[id]];
    if (now === undefined) return [`${id} is gone`];
    if (before === undefined) return [`${id} is new, reaches ${listed(now.origins)}${asks(now.credentials)}`];
    const said = [
      ...added(now.origins, before.origins).map((origin) => `${id} now reaches ${origin}`),
      ...added(before.origins, now.origins).map((origin) => `${id} no longer reaches ${origin}`),
      ...added(now.credentials, before.credentials).map((name) => `${id} now asks for the credential field ${name}`),
      ...added(before.credentials, now.credentials).map(
        (name) => `${id} no longer asks for the credential field ${name}`,
      ),
    ];
    if (said.length > 0) return said;
    if (now.file !== before.file) return [`${id} is now in ${now.file}`];
    return now.sha256 === before.sha256 ? [] : [`the text of ${id} has changed`];
  });
}

function added(now: readonly string[], before: readonly string[]): readonly string[] {
  return now.filter((each) => !before.includes(each));
}

function listed(origins: readonly string[]): string {
  return origins.length === 0 ? "nothing" : origins.join(" and ");
}

function asks(credentials: readonly string[]): string {
  return credentials.length === 0 ? "" : ` and asks for the credential fields ${credentials.join(", ")}`;
}
