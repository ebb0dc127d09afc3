import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { isJsonObject, type JsonObject } from "../../terms/json/json.ts";
import { PackageError } from "./package-error.ts";

/** A package of sources, as npm has installed it. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** The folder of the package. Links are resolved. */
  readonly root: string;
  /** The paths of its sources' files, sorted. */
  readonly files: readonly string[];
}

/** `datarun-catalog-uk` or `@acme/datarun-catalog-uk`. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?datarun-catalog-[a-z0-9._~-]+$/;
const SOURCE = /\.ya?ml$/;
/** Files that a package may have outside the folder of its sources. None of them can run. */
const PLAIN = /(?:\.(?:ya?ml|md|txt)|(?:^|\/)(?:LICEN[CS]E|NOTICE|README|CHANGELOG|AUTHORS))$/;
/** Keys of `package.json` with which npm installs code beside the package. */
const INSTALLS = [
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "bundleDependencies",
  "bundledDependencies",
] as const;
const RUN_BY_NPM = /^(?:(?:pre|post)?(?:install|prepare)|prepublish)$/;

/**
 * Reads a package of the setting `catalogs`. It has YAML files and texts only, so that installing and loading it runs
 * no code.
 * @throws PackageError
 */
export function readPackage(project: string, name: string): InstalledPackage {
  if (!NAME.test(name))
    throw new PackageError("catalogs", `"${name}" is not the name of a package of sources: datarun-catalog-<name>`);
  const found = findPackage(project, name);
  if (found === undefined)
    throw new PackageError(join(project, "package.json"), `${name} is not installed: npm install ${name}`);
  const root = realpathSync(found);
  const manifestFile = join(root, "package.json");
  const manifest = readManifest(manifestFile);
  const refuse = (problem: string): never => {
    throw new PackageError(manifestFile, problem);
  };
  if (manifest["name"] !== name) refuse(`its name is not ${name}`);
  for (const key of INSTALLS)
    if (Object.keys(manifest[key] ?? {}).length > 0)
      refuse(`a package of sources has no ${key}: npm would install code with it`);
  const script = Object.keys(manifest["scripts"] ?? {}).find((each) => RUN_BY_NPM.test(each));
  if (script !== undefined) refuse(`a package of sources has no script "${script}": npm would run it`);
  const folder = sourcesFolder(root, manifest) ?? refuse(NO_FOLDER);
  // A package that is being written in a folder of its own may have tools there. npm installs it as a link.
  const isLinked = lstatSync(found).isSymbolicLink();
  const files: string[] = [];
  for (const path of entriesOf(root, isLinked)) {
    const inPackage = relative(root, path).replaceAll(sep, "/");
    const isSource = path.startsWith(folder + sep);
    if (isSource ? !SOURCE.test(path) : inPackage !== "package.json" && !PLAIN.test(inPackage))
      throw new PackageError(path, `a package of sources has YAML files only, and this is not one (${name})`);
    if (isSource) files.push(path);
  }
  if (files.length === 0) refuse(`there is no source in ${relative(root, folder)}`);
  const { version } = manifest;
  return { name, version: typeof version === "string" ? version : "", root, files: files.sort() };
}

const NO_FOLDER = 'it must name the folder of its sources: "datarun": {"sources": "sources"}';

/** Where Node would find the package: in the project's own `node_modules`, or in that of a folder above it. */
function findPackage(project: string, name: string): string | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
    if (folder === dirname(folder)) return undefined;
  }
}

function readManifest(file: string): JsonObject {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isJsonObject(manifest)) return manifest;
  } catch (error) {
    throw new PackageError(file, `it cannot be read: ${(error as Error).message}`, error);
  }
  throw new PackageError(file, "it is not an object");
}

function sourcesFolder(root: string, { datarun }: JsonObject): string | undefined {
  const named = isJsonObject(datarun) ? datarun["sources"] : undefined;
  if (typeof named !== "string" || isAbsolute(named)) return undefined;
  const folder = join(root, named).replace(/[\\/]+$/, "");
  const isInside = folder.startsWith(root + sep) && !relative(root, folder).split(sep).includes("node_modules");
  return isInside && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : undefined;
}

/** All files of the package. @throws PackageError for a link or a device */
function entriesOf(folder: string, isLinked: boolean): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (isLinked && (entry.name === "node_modules" || entry.name.startsWith("."))) return [];
    if (entry.isDirectory()) return entriesOf(path, false);
    if (!entry.isFile()) throw new PackageError(path, `a package of sources has no ${kindOf(entry)}`);
    return [path];
  });
}

function kindOf(entry: Dirent): string {
  return entry.isSymbolicLink() ? "symbolic links" : "files that are not plain";
}
