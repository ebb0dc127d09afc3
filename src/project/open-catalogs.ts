import { accessSync, constants, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Settings } from "../settings/settings.ts";
import { openFunctions, type FunctionCaches, type OpenedFunctions, type OpenFunction } from "./open-functions.ts";
import type { LoadedVersion } from "../admin/ports.ts";
import type { Log } from "../operate/log.ts";
import { PACKAGE_ROOT } from "./package-root.ts";
import { resolveDatarunImports } from "./resolve-datarun-imports.ts";
import {
  isEnabled,
  withLastValid,
  loadSources,
  type LoadedSource,
  type LoadedSources,
  textsOf,
} from "./load-sources.ts";
import type { RunnableSource, SourceCatalog } from "../run/ports.ts";
import { openSavedDocuments, type Learned } from "./saved-documents.ts";
import { replaceData } from "./replace-data.ts";
import { createSchemas } from "../terms/schema/author-schemas.ts";
import type { Clock } from "../terms/time/clock.ts";

/** A file that cannot be used. The reason names the line, if it is known; the message also names the file. */
export interface BrokenFile {
  readonly file: string;
  readonly reason: string;
  readonly message: string;
}

/** A file that became broken while a service runs, and whether its previous version is still served. */
export interface BrokenFileUpdate extends BrokenFile {
  readonly served: boolean;
}

/** The error that stops a start: files that cannot be used, each with its reason. */
export class BrokenProject extends Error {
  readonly problems: readonly BrokenFile[];
  constructor(problems: readonly BrokenFile[]) {
    super(problems.map(({ message }) => message).join("\n"));
    this.name = "BrokenProject";
    this.problems = problems;
  }
}

export interface CatalogOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly dev: boolean;
  /** Sources to use instead of those of the catalog and the project. The catalog's functions are then left out. */
  readonly loaded?: LoadedSources | undefined;
}

export interface Catalogs {
  readonly sources: SourceCatalog;
  /** Every source, on or off, in its version last loaded. */
  loaded(): LoadedSources;
  /** The ids of all sources that are on at the start. */
  readonly sourceIds: readonly string[];
  readonly functions: OpenedFunctions;
  /** The versions of the functions, and of the sources that are on, in the order of their ids. */
  versions(): readonly LoadedVersion[];
  /**
   * Reloads the project, for `datarun dev`. A broken file keeps its previous version. Returns the problems.
   * @param register awaited before the first use of loaded versions
   */
  reload(register: (versions: readonly LoadedVersion[]) => Promise<void>): Promise<readonly BrokenFileUpdate[]>;
}

const CATALOG = join(PACKAGE_ROOT, "catalog");

interface SourcesToRead {
  /** The packages of sources that the project names. */
  readonly catalogs?: readonly string[];
  /** Without it, every file of the project is checked. */
  readonly dataDir?: string;
  /** Code that was loaded with another version is loaded again. */
  readonly version?: string | undefined;
}

/** Loads every source, on or off. */
export async function openSources(project: string | undefined, what: SourcesToRead = {}): Promise<OpenedSources> {
  resolveDatarunImports(project === undefined ? [] : [project]);
  return readSources(project, what);
}

interface OpenedSources extends LoadedSources {
  /** The catalog files that were not cached by an earlier start. */
  readonly learned: Learned;
}

const NOTHING: Learned = { files: 0, problem: null };

async function readSources(
  project: string | undefined,
  { catalogs = [], dataDir, version }: SourcesToRead,
): Promise<OpenedSources> {
  const own = join(PACKAGE_ROOT, ".cache", "sources");
  const inData = dataDir === undefined ? [] : [join(resolve(dataDir), "sources")];
  const known = {
    catalog: await openSavedDocuments([own, ...inData].map((folder) => join(folder, "catalog.json"))),
    project: await openSavedDocuments(inData.map((folder) => join(folder, "project.json"))),
  };
  const loaded = await loadSources({ catalog: CATALOG, project, catalogs, schemas: createSchemas(), version, known });
  await known.project.keep();
  return { ...loaded, learned: await known.catalog.keep() };
}

/** Opens what a service serves: the sources that are on, and the functions. @throws BrokenProject, except in `dev` */
export async function openCatalogs(options: CatalogOptions): Promise<Catalogs> {
  const { settings, clock, log, dev } = options;
  const project = settings.project;
  const what = { catalogs: settings.catalogs, dataDir: settings.dataDir };
  const opening = options.loaded === undefined ? openSources(project, what) : { ...options.loaded, learned: NOTHING };
  const functions = await openFunctions({
    catalog: options.loaded === undefined ? CATALOG : undefined,
    project,
    clock,
    log,
    dataDirs: [settings.dataDir],
    ...functionCaches(settings.dataDir),
    processes: settings.limits.expert.functionProcesses,
    spare: true,
  });
  try {
    const opened = await opening;
    const { files, problem } = opened.learned;
    if (files > 0) log.info({ event: "catalog_read", files, ...(problem === null ? {} : { not_kept: problem }) });
    let loaded: LoadedSources = opened;
    const data = await replaceData(settings.catalogData, loaded.all);
    for (const each of data.files) log[each.used ? "info" : "warn"]({ event: "data_file", ...each });
    const problems = [...loaded.problems, ...functions.problems, ...data.problems];
    if (problems.length > 0 && !dev) throw new BrokenProject(problems);
    for (const { file, reason } of problems) log.error({ event: "broken_file", file, reason });
    for (const id of loaded.replaced) log.info({ event: "catalog_source_replaced", source: id });
    for (const id of functions.replaced) log.info({ event: "catalog_function_replaced", function: id });
    functions.rest();
    const patterns = settings.demo ? ["*"] : settings.catalog;
    let on = enabled(loaded, patterns);
    let version = 0;
    return {
      sources: { find: (id) => on.get(id) },
      loaded: () => loaded,
      sourceIds: [...on.keys()],
      functions,
      versions: () => [...functions.list().map(versionOfFunction), ...versionsOfSources(loaded, patterns)],
      async reload(register) {
        version += 1;
        const read = options.loaded ?? (await readSources(project, { ...what, version: String(version) }));
        const next = withLastValid(loaded, read);
        await register(versionsOfSources(next, patterns));
        loaded = next;
        on = enabled(loaded, patterns);
        const ofFunctions = await functions.reload((each) => register([versionOfFunction(each)]));
        const problems = [...read.problems, ...ofFunctions];
        const served = new Set([...loaded.all.values(), ...functions.list()].map(({ file }) => file));
        return problems.map(({ file, reason, message }) => ({ file, reason, message, served: served.has(file) }));
      },
    };
  } catch (error) {
    await functions.close();
    throw error;
  }
}

/**
 * The catalog's bundles are cached beside the compiled code if that folder is writable, otherwise with the project's
 * own.
 */
export function functionCaches(dataDir: string | undefined): FunctionCaches {
  const cacheDir = dataDir === undefined ? undefined : join(resolve(dataDir), "functions");
  const ownCacheDir = join(PACKAGE_ROOT, ".cache", "functions");
  try {
    mkdirSync(ownCacheDir, { recursive: true, mode: 0o700 });
    accessSync(ownCacheDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { cacheDir, ownCacheDir };
  } catch {
    return { cacheDir, ownCacheDir: cacheDir };
  }
}

export function versionOfFunction({
  id,
  version,
  from,
  texts,
}: Pick<OpenFunction, "id" | "version" | "from" | "texts">): LoadedVersion {
  return { kind: "function", id, digest: version, origin: from, texts };
}

export function versionOfSource(loaded: LoadedSource): LoadedVersion {
  const { source, from } = loaded;
  return { kind: "source", id: source.id, digest: source.version, origin: from, texts: textsOf(loaded) };
}

function versionsOfSources({ all }: LoadedSources, patterns: readonly string[]): readonly LoadedVersion[] {
  const on = [...all.values()].filter((source) => isEnabled(source, patterns));
  return on.map(versionOfSource).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function enabled(loaded: LoadedSources, patterns: readonly string[]): ReadonlyMap<string, RunnableSource> {
  return new Map(
    [...loaded.all].filter(([, source]) => isEnabled(source, patterns)).map(([id, { source }]) => [id, source]),
  );
}
