import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";

/** The code of a TypeScript source: its own files, by their paths from the root, and the versions of its packages. */
export interface ModuleFiles {
  readonly files: Readonly<Record<string, string>>;
  readonly packages: Readonly<Record<string, string>>;
}

/**
 * Matches the paths of imports, static or not. A match in a comment or a text does no harm: what is not found is left
 * out.
 */
const IMPORTS = /\b(?:from|import|require)\s*\(?\s*(["'])([^"'\n]+)\1/g;
const PACKAGE = /^(?:@[^/@.]+\/)?[^/@.#][^/]*/;

/**
 * Reads a module, and every file of its root that it imports, directly or not. A path that is computed at run time
 * cannot be seen.
 */
export async function readModuleFiles(file: string, root: string): Promise<ModuleFiles> {
  const files = new Map<string, string>();
  const packages = new Map<string, string>();
  const waiting = [file];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = relative(root, path).replaceAll(sep, "/");
    if (files.has(name)) continue;
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) continue;
    files.set(name, text);
    if (path.endsWith(".json")) continue;
    for (const [, , specifier = ""] of text.matchAll(IMPORTS)) {
      if (specifier.startsWith(".")) {
        const imported = resolve(dirname(path), specifier);
        if (isOwn(root, imported)) waiting.push(imported);
      } else {
        const [packageName = ""] = PACKAGE.exec(specifier) ?? [];
        if (packageName === "" || packages.has(packageName) || isBuiltin(specifier)) continue;
        const version = await versionOfPackage(packageName, dirname(path));
        if (version !== null) packages.set(packageName, version);
      }
    }
  }
  return { files: sorted(files), packages: sorted(packages) };
}

function isOwn(root: string, path: string): boolean {
  const way = relative(root, path).split(sep);
  return way[0] !== ".." && !way.includes("node_modules");
}

/** `null` if the package is not installed. */
async function versionOfPackage(name: string, from: string): Promise<string | null> {
  for (let folder = from; ; folder = dirname(folder)) {
    const text = await readFile(join(folder, "node_modules", name, "package.json"), "utf8").catch(() => null);
    if (text !== null) return String((JSON.parse(text) as { readonly version?: unknown }).version);
    if (dirname(folder) === folder) return null;
  }
}

function sorted(entries: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
