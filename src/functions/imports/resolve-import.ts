import { isBuiltin } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Gathering } from "./evidence.ts";
import { exportOf, hasSideEffects, importOf, toManifest, type PackageManifest } from "./package-manifest.ts";
import { ImportRefused, isWithin, type Scope, type ImportScope } from "./import-scope.ts";
import { PATH_CHARACTERS_MAX } from "./regular-file.ts";

/** A file that may be read: its real path and its owner. */
export interface Resolved {
  readonly file: string;
  readonly scope: Scope;
  readonly sideEffects: boolean;
  /** For a function's entry file: whether package.json declares an ES module. */
  readonly isModule: boolean;
}

export interface Resolver {
  /** The entry file of a function. @throws ImportRefused */
  entry(file: string): Promise<Resolved>;
  /** The file that an import refers to. @throws ImportRefused */
  import(
    specifier: string,
    from: { readonly file: string; readonly scope: Scope },
    isRequire: boolean,
  ): Promise<Resolved>;
}

interface FoundModule {
  readonly path: string;
  readonly scope: Scope;
}

const PROJECT_PROBES = [".ts", ".js", ".json"];
const PACKAGE_PROBES = [".js", ".json", ".ts"];
const WRITTEN_AS: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" };
const PACKAGE = /^(@[^/@]+\/[^/@.][^/]*|[^/@.#][^/]*)(\/.*)?$/;

/**
 * Resolves imports as Node and bundlers do, but only among files that a function may read, and with no configuration
 * but package.json. Every look-up is recorded, so that a later start can check whether the result would be the same.
 */
export function createResolver(allowed: ImportScope, { lookUp, read }: Gathering): Resolver {
  const manifests = new Map<string, Promise<PackageManifest | null>>();

  /** The last step of every resolution: no file is returned without this check. */
  async function admit(specifier: string, { path, scope }: FoundModule): Promise<Resolved> {
    const { kind, real } = await lookUp(path);
    if (kind === "nothing") throw new ImportRefused(`Could not resolve "${specifier}": there is no such file`);
    const problem = allowed.pathProblem(real, scope) ?? (kind === "file" ? null : "is not a regular file");
    const refused = problem ?? (await allowed.fileProblem(real, scope));
    if (refused !== null) throw new ImportRefused(`"${specifier}" ${refused}`);
    const manifest = await nearestManifest(dirname(real), scope);
    const sideEffects = manifest === null || hasSideEffects(manifest, relative(manifest.folder, real));
    return { file: real, scope, sideEffects, isModule: false };
  }

  /** @throws ImportRefused for a path that leads out of the scope */
  function refuseOutside(specifier: string, path: string, scope: Scope): void {
    const problem = allowed.pathProblem(path, scope);
    if (problem !== null) throw new ImportRefused(`"${specifier}" ${problem}`);
  }

  async function asFile({ path, scope }: FoundModule): Promise<FoundModule | null> {
    const extension = Object.keys(WRITTEN_AS).find((each) => path.endsWith(each));
    const written = extension === undefined ? [] : [path.slice(0, -extension.length) + WRITTEN_AS[extension]];
    const probes = (scope.isPackage ? PACKAGE_PROBES : PROJECT_PROBES).map((probe) => path + probe);
    for (const candidate of [path, ...probes, ...written]) {
      const { kind } = await lookUp(candidate);
      if (kind === "file" || kind === "other") return { path: candidate, scope };
    }
    return null;
  }

  async function asFolder({ path, scope }: FoundModule): Promise<FoundModule | null> {
    if ((await lookUp(path)).kind !== "folder") return null;
    const manifest = await manifestIn(path, scope);
    for (const main of manifest?.mains ?? []) {
      const begins = join(path, main);
      if (allowed.pathProblem(begins, scope) !== null) continue;
      const found = (await asFile({ path: begins, scope })) ?? (await asFile({ path: join(begins, "index"), scope }));
      if (found !== null) return found;
    }
    return asFile({ path: join(path, "index"), scope });
  }

  async function manifestIn(folder: string, scope: Scope): Promise<PackageManifest | null> {
    const { kind, real } = await lookUp(join(folder, "package.json"));
    if (kind !== "file" || (await allowed.fileProblem(real, scope)) !== null) return null;
    const manifest = manifests.get(real) ?? read(real).then((bytes) => toManifest(folder, bytes.toString()));
    manifests.set(real, manifest);
    return manifest;
  }

  async function nearestManifest(folder: string, scope: Scope): Promise<PackageManifest | null> {
    if (!isWithin(scope.folder, folder)) return null;
    return (
      (await manifestIn(folder, scope)) ?? (folder === dirname(folder) ? null : nearestManifest(dirname(folder), scope))
    );
  }

  async function relativeTo(folder: string, specifier: string, scope: Scope): Promise<Resolved> {
    const path = resolve(folder, specifier);
    refuseOutside(specifier, path, scope);
    const isFolder = /(^|\/)\.{0,2}$/.test(specifier);
    const found = (isFolder ? null : await asFile({ path, scope })) ?? (await asFolder({ path, scope }));
    return admit(specifier, found ?? { path, scope });
  }

  /** Finds a package by name: the nearest `node_modules` folder with that package, from the importing file upwards. */
  async function bare(
    specifier: string,
    folder: string,
    scope: Scope,
    conditions: ReadonlySet<string>,
  ): Promise<Resolved> {
    const [, name, subpath = ""] = PACKAGE.exec(specifier) ?? [];
    if (name === undefined)
      throw new ImportRefused(`Could not resolve "${specifier}": that is not the name of a package`);
    const ownManifest = await nearestManifest(folder, scope);
    if (ownManifest?.name === name && ownManifest.exports !== undefined)
      return exported(specifier, ownManifest, subpath, scope, conditions);
    for (const packageFolder of candidateFolders(folder, name)) {
      const { kind, real } = await lookUp(packageFolder);
      if (kind !== "folder") continue;
      const of = scopeOfPackage(specifier, packageFolder, real);
      const manifest = await manifestIn(real, of);
      if (manifest?.exports !== undefined && manifest.exports !== null)
        return exported(specifier, manifest, subpath, of, conditions);
      const path = join(real, subpath);
      refuseOutside(specifier, path, of);
      const file = subpath === "" || subpath.endsWith("/") ? null : await asFile({ path, scope: of });
      const found = file ?? (await asFolder({ path, scope: of }));
      if (found !== null) return admit(specifier, found);
    }
    if (isBuiltin(specifier)) throw builtin(specifier);
    throw new ImportRefused(`Could not resolve "${specifier}": no such package is installed in the project`);
  }

  function scopeOfPackage(specifier: string, packageFolder: string, real: string): Scope {
    try {
      return allowed.scopeOf(packageFolder, real);
    } catch (thrown) {
      throw thrown instanceof ImportRefused ? new ImportRefused(`"${specifier}" ${thrown.message}`) : thrown;
    }
  }

  function exported(
    specifier: string,
    manifest: PackageManifest,
    subpath: string,
    scope: Scope,
    conditions: ReadonlySet<string>,
  ) {
    const target = exportOf(manifest, `.${subpath}`, conditions);
    if (target === null || !target.startsWith("./"))
      throw new ImportRefused(`Could not resolve "${specifier}": the package does not export it`);
    const path = join(manifest.folder, target);
    refuseOutside(specifier, path, scope);
    return admit(specifier, { path, scope });
  }

  async function inner(
    specifier: string,
    folder: string,
    scope: Scope,
    conditions: ReadonlySet<string>,
  ): Promise<Resolved> {
    const manifest = await nearestManifest(folder, scope);
    const target = manifest === null ? null : importOf(manifest, specifier, conditions);
    if (manifest === null || target === null || target.startsWith("#"))
      throw new ImportRefused(`Could not resolve "${specifier}": no package.json defines it`);
    if (target.startsWith("node:")) throw builtin(target);
    if (!target.startsWith("./")) return bare(target, manifest.folder, scope, conditions);
    const path = join(manifest.folder, target);
    refuseOutside(specifier, path, scope);
    return admit(specifier, { path, scope });
  }

  return {
    entry: async (file) => {
      const entry = await admit(basename(file), { path: resolve(file), scope: allowed.project });
      const manifest = await nearestManifest(dirname(entry.file), entry.scope);
      return { ...entry, isModule: manifest?.type === "module" && /\.[jt]s$/.test(entry.file) };
    },
    import: async (specifier, { file, scope }, isRequire) => {
      const folder = dirname(file);
      const conditions = new Set([isRequire ? "require" : "import", "module", "default"]);
      if (specifier.startsWith("node:")) throw builtin(specifier);
      if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(specifier))
        throw new ImportRefused(
          `"${brief(specifier)}" is an address: functions import files and packages, and call sources with run()`,
        );
      if (specifier.length > PATH_CHARACTERS_MAX)
        throw new ImportRefused(`"${brief(specifier)}" is longer than the path of any file`);
      if (specifier.startsWith("/"))
        throw new ImportRefused(`"${brief(specifier)}" must be written relative to the file: ./ or ../`);
      if (specifier.includes("\0")) throw new ImportRefused("no file name contains a NUL");
      if (/^\.\.?(\/|$)/.test(specifier)) return relativeTo(folder, specifier, scope);
      if (specifier.startsWith("#")) return inner(specifier, folder, scope, conditions);
      return bare(specifier, folder, scope, conditions);
    },
  };
}

function* candidateFolders(folder: string, name: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    if (basename(at) !== "node_modules") yield join(at, "node_modules", name);
    if (at === dirname(at)) return;
  }
}

function builtin(specifier: string): ImportRefused {
  return new ImportRefused(
    `"${brief(specifier)}" is a part of Node, and functions run without Node: they reach the network only through run()`,
  );
}

function brief(specifier: string): string {
  return specifier.length > 60 ? `${specifier.slice(0, 60)}…` : specifier;
}
