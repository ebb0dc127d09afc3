import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

/** A file, or a folder with all its contents, that no function may read. */
export interface ForbiddenPath {
  readonly path: string;
  /** As part of a sentence: `the data directory`. */
  readonly name: string;
}

/** The owner of an importing file: the project, or a package with its folder. */
export interface Scope {
  readonly folder: string;
  readonly isPackage: boolean;
}

/** A refused import. The message is a sentence that begins with the imported name. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
}

/** Decides which files a project's functions may import. Paths are real paths unless stated otherwise. */
export interface ImportScope {
  /** Why a path as written leads out of the scope, whether or not the file exists; otherwise `null`. */
  pathProblem(path: string, scope: Scope): string | null;
  /** Why a file may not be read; otherwise `null`. */
  fileProblem(file: string, scope: Scope): Promise<string | null>;
  /** The scope of the package at a path, which may be a link. @throws ImportRefused */
  scopeOf(found: string, folder: string): Scope;
  readonly project: Scope;
}

export const EXTENSIONS = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];

export function openImportScope(root: string, closed: readonly ForbiddenPath[]): ImportScope {
  const project: Scope = { folder: root, isPackage: false };
  const identities = new Map<string, Promise<string | null>>();
  let shut: Promise<ReadonlyMap<string, ForbiddenPath>> | undefined;
  let shutFiles: Promise<ReadonlyMap<string, ForbiddenPath>> | undefined;

  function pathProblem(path: string, scope: Scope): string | null {
    const closedPath = closed.find((each) => isWithin(resolve(each.path), path) && !isAbove(resolve(each.path)));
    if (closedPath !== undefined) return closedTo(closedPath);
    if (scope.isPackage && isWithin(scope.folder, path)) return hidden(relative(scope.folder, path));
    if (isWithin(root, path)) return hidden(relative(root, path));
    return scope.isPackage
      ? "lies outside of its package and of the project's folder"
      : "lies outside of the project's folder; functions import files inside it, and packages";
  }

  async function fileProblem(file: string, scope: Scope): Promise<string | null> {
    const problem = pathProblem(file, scope);
    if (problem !== null) return problem;
    if (!EXTENSIONS.some((extension) => file.endsWith(extension)))
      return `is neither code nor JSON: functions import ${EXTENSIONS.join(", ")}`;
    const closedPath = await closedPathOf(file);
    return closedPath === undefined ? null : closedTo(closedPath);
  }

  /**
   * Compares files by identity, not by name: the same file can be reached through a second mount, a case-insensitive
   * file system, or a hard link.
   */
  async function closedPathOf(file: string): Promise<ForbiddenPath | undefined> {
    const closedPaths = await (shut ??= identifyClosed());
    if (closedPaths.size === 0) return undefined;
    for (let at = file; !isAbove(at); at = dirname(at)) {
      const closedPath = closedPaths.get((await identityOf(at)) ?? "");
      if (closedPath !== undefined) return closedPath;
      if (dirname(at) === at) break;
    }
    const { nlink } = await stat(file);
    if (nlink < 2) return undefined;
    return (await (shutFiles ??= identifyFiles())).get((await identityOf(file)) ?? "");
  }

  /**
   * A closed folder may contain the project. The rest of that folder is outside the project, and so out of reach
   * anyway.
   */
  function isAbove(path: string): boolean {
    return path !== root && isWithin(path, root);
  }

  function identityOf(path: string): Promise<string | null> {
    const identity = identities.get(path) ?? identify(path);
    identities.set(path, identity);
    return identity;
  }

  async function identifyClosed(): Promise<ReadonlyMap<string, ForbiddenPath>> {
    const aboveRoot = await Promise.all(ancestorsOf(root).slice(1).map(identify));
    const all = await Promise.all(
      closed.map(async (closedPath) => [await identify(closedPath.path), closedPath] as const),
    );
    return new Map(
      all.flatMap(([identity, closedPath]) =>
        identity === null || aboveRoot.includes(identity) ? [] : [[identity, closedPath]],
      ),
    );
  }

  async function identifyFiles(): Promise<ReadonlyMap<string, ForbiddenPath>> {
    const files = new Map<string, ForbiddenPath>();
    for (const closedPath of (await shut!).values()) {
      for (const file of await filesIn(closedPath.path)) files.set((await identify(file)) ?? "", closedPath);
    }
    return files;
  }

  return {
    project,
    pathProblem,
    fileProblem,
    scopeOf(found, folder) {
      // Only the operator can have put a package outside the project, link or not.
      if (!isWithin(root, found)) return isWithin(root, folder) ? project : { folder, isPackage: true };
      const above = ancestorsOf(root).find((each) =>
        isWithin(each === root ? root : join(each, "node_modules"), folder),
      );
      if (above === undefined)
        throw new ImportRefused("is a link that leads out of the project's folder: install the package instead");
      const relativePath = relative(above, folder);
      const problem = hidden(withoutPackageStores(relativePath));
      if (problem !== null) throw new ImportRefused(problem);
      // A workspace package is part of the project, like its other folders.
      return relativePath.split(sep).includes("node_modules") ? { folder, isPackage: true } : project;
    },
  };
}

export function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== ".." && !relativePath.startsWith(`..${sep}`);
}

function closedTo({ name }: ForbiddenPath): string {
  return `leads to ${name}, which is closed to functions`;
}

function hidden(relativePath: string): string | null {
  // Kubernetes mounts files as links into folders such as `..2026_08_09_13_17_12.123456789`.
  const part = relativePath.split(sep).find((each) => each.startsWith(".") && !/^\.\.\d{4}_/.test(each));
  return part === undefined ? null : `leads to "${part}", and what begins with a dot is closed to functions`;
}

/** Removes the stores of package managers from a path, as in `node_modules/.store/name@version/node_modules/name`. */
function withoutPackageStores(relativePath: string): string {
  return relativePath.replaceAll(
    /(^|[\\/])node_modules[\\/]\.[^\\/]+(?=[\\/](?:.*[\\/])?node_modules[\\/])/g,
    "$1node_modules",
  );
}

function ancestorsOf(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...ancestorsOf(above)];
}

async function identify(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

async function filesIn(closedPath: string): Promise<string[]> {
  try {
    const entries = await readdir(closedPath, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [closedPath];
  }
}
