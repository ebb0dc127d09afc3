import { existsSync, globSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { RunnableSource } from "../run/ports.ts";
import { type Proofs, readProofs } from "../sources/proofs.ts";
import { LoadError } from "../terms/load-error.ts";
import { loadSource, type LoadOptions } from "../sources/load-source.ts";
import { declaredContent } from "../sources/runnable.ts";
import type { VersionTexts } from "../terms/version.ts";
import type { KnownDocuments } from "../sources/ports.ts";
import { loadPackages } from "./packages/load-packages.ts";
import { PackageError } from "./packages/package-error.ts";

const SOURCE_FILES = "**/*.{ts,js,mjs,yaml,yml}";
const FUNCTION_FILES = "**/*.{ts,js,mjs}";

function sourceFiles(folder: string): string[] {
  return files(join(folder, "sources"), SOURCE_FILES);
}

export function functionFiles(folder: string): string[] {
  return files(join(folder, "functions"), FUNCTION_FILES);
}

function files(folder: string, pattern: string): string[] {
  if (!existsSync(folder)) return [];
  return globSync(pattern, { cwd: folder })
    .filter(
      (file) =>
        !/\.(test|d)\.\w+$/.test(file) &&
        !file.split(sep).some((part) => part.startsWith("_") || part === "node_modules"),
    )
    .sort()
    .map((file) => join(folder, file));
}

export interface LoadedSource {
  readonly source: RunnableSource;
  /** The texts of its version; absent for a source without a file. */
  readonly texts?: () => Promise<VersionTexts>;
  readonly file: string;
  readonly from: "catalog" | "package" | "project";
  /** The name of the package. */
  readonly package?: string;
}

/** The texts of the source's version. */
export function textsOf({ source, texts }: LoadedSource): () => Promise<VersionTexts> {
  return texts ?? (() => Promise.resolve({ content: declaredContent(source.declaration), source: {} }));
}

export interface LoadedSources {
  readonly all: ReadonlyMap<string, LoadedSource>;
  /** The proofs of the project and of the catalog, in this order. */
  readonly proofs?: readonly Proofs[];
  /** What is wrong without making a source unusable, each a sentence. */
  readonly remarks?: readonly string[];
  readonly replaced: readonly string[];
  readonly problems: readonly LoadError[];
}

export interface LoadSourcesOptions extends Omit<LoadOptions, "compile" | "known" | "root"> {
  readonly catalog: string;
  readonly project: string | undefined;
  /** Names of packages. */
  readonly catalogs: readonly string[];
  readonly known: { readonly catalog: KnownDocuments; readonly project: KnownDocuments };
}

/**
 * Loads the sources of the catalog, of a project, and of the packages that it names. A project's source replaces a
 * catalog source with the same id. A package's source replaces none.
 */
export async function loadSources({ known, catalogs, ...options }: LoadSourcesOptions): Promise<LoadedSources> {
  const ofProject = { ...options, known: known.project, compile: "now" } as const;
  const [catalog, project, packages] = await Promise.all([
    loadFolder(options.catalog, "catalog", {
      ...options,
      version: undefined,
      known: known.catalog,
      compile: "first use",
    }),
    options.project === undefined ? { loaded: [], problems: [] } : loadFolder(options.project, "project", ofProject),
    loadPackages(options.project, catalogs, ofProject),
  ]);
  const all = new Map<string, LoadedSource>();
  const problems = [...catalog.problems, ...project.problems, ...packages.problems];
  const replaced: string[] = [];
  for (const loaded of [...catalog.loaded, ...project.loaded]) {
    const { id } = loaded.source;
    const before = all.get(id);
    if (before?.from === loaded.from) {
      problems.push(new LoadError(loaded.file, `its id ${id} is already used by ${before.file}`));
      continue;
    }
    if (before !== undefined) replaced.push(id);
    all.set(id, loaded);
  }
  for (const loaded of packages.sources) {
    const { id } = loaded.source;
    const before = all.get(id);
    if (before === undefined) all.set(id, { ...loaded, from: "package" });
    else problems.push(new PackageError(loaded.file, cannotReplace(loaded.package, before)));
  }
  return { all, replaced, problems, ...proofsOf([options.project, options.catalog]) };
}

/** Proofs that cannot be read change no run, so they stop no start. */
function proofsOf(folders: readonly (string | undefined)[]): Required<Pick<LoadedSources, "proofs" | "remarks">> {
  const proofs: Proofs[] = [];
  const remarks: string[] = [];
  for (const folder of folders) {
    try {
      if (folder !== undefined) proofs.push(readProofs(folder));
    } catch (error) {
      remarks.push((error as Error).message);
    }
  }
  return { proofs, remarks };
}

function cannotReplace(name: string, { source, from, file, package: other }: LoadedSource): string {
  const owner = from === "package" ? `the package ${other}` : `the ${from} (${file})`;
  return `its id ${source.id} is that of a source of ${owner}, and the package ${name} cannot replace it`;
}

async function loadFolder(folder: string, from: LoadedSource["from"], options: LoadOptions) {
  const problems: LoadError[] = [];
  const loaded: LoadedSource[] = [];
  const results = await Promise.allSettled(
    sourceFiles(folder).map(async (file): Promise<LoadedSource> => {
      const { source, texts } = await loadSource(file, { ...options, root: folder });
      const wrong = from === "catalog" ? pathProblem(folder, file, source.id) : null;
      if (wrong !== null) throw new LoadError(file, wrong);
      return { source, texts, file, from };
    }),
  );
  for (const result of results) {
    if (result.status === "fulfilled") loaded.push(result.value);
    else
      problems.push(result.reason instanceof LoadError ? result.reason : new LoadError(folder, String(result.reason)));
  }
  return { loaded, problems };
}

/** Merges two loads: a file that is broken now keeps its previous source. */
export function withLastValid(before: LoadedSources, now: LoadedSources): LoadedSources {
  const broken = new Set(now.problems.map(({ file }) => file));
  const kept = [...before.all].filter(([id, { file }]) => broken.has(file) && now.all.get(id)?.from !== "project");
  return { ...now, all: new Map([...now.all, ...kept]) };
}

/** In the catalog the path of a source follows from its id: `sources/<vendor>/<source_name>`. */
function pathProblem(folder: string, file: string, id: string): string | null {
  const expected = id.replace("__", sep);
  const actual = relative(join(folder, "sources"), file).replace(/\.\w+$/, "");
  return actual === expected ? null : `its id ${id} belongs at sources/${expected.replaceAll(sep, "/")}`;
}

/**
 * Whether runs may call a source. One of the catalog that leaves the machine is on if the setting `catalog` names it.
 */
export function isEnabled({ source, from }: LoadedSource, patterns: readonly string[]): boolean {
  return from !== "catalog" || !source.leavesMachine || patterns.some((pattern) => namesSource(pattern, source.id));
}

/** Whether an entry of the setting `catalog` matches a source. */
export function namesSource(pattern: string, id: string): boolean {
  const expression = pattern
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${expression}$`).test(id);
}
