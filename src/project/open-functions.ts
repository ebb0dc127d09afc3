import { basename, extname, resolve } from "node:path";
import { configFilesOf } from "./config-file.ts";
import { preparePrelude } from "../functions/load/bundle-cache.ts";
import { createFunctions, type Functions, type ListedFunction } from "../functions/catalog.ts";
import { LoadError } from "../terms/load-error.ts";
import type { PoolStats } from "../functions/pool/supervisor.ts";
import { createPool, type Pool } from "../functions/pool/pool.ts";
import type { ClosedPlace } from "../functions/imports/import-scope.ts";
import type { FunctionsLog } from "../functions/ports.ts";
import { functionFiles } from "./load-sources.ts";
import type { FunctionCatalog } from "../run/ports.ts";
import type { Clock } from "../terms/clock.ts";
import { PREFIX } from "../terms/ids.ts";

export interface FunctionFolders {
  /** Left out: the catalog's functions are not there. */
  readonly catalog: string | undefined;
  readonly project: string | undefined;
}

/** Where prepared functions are kept from one start to the next. Only that a start takes less time hangs on it. */
export interface FunctionCaches {
  /** The project's. */
  readonly cacheDir?: string | undefined;
  /** The catalog's, and what all are made with: the same for every store and project. */
  readonly ownCacheDir?: string | undefined;
}

export interface OpenFunctionsOptions extends FunctionFolders, FunctionCaches {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  /** Wherever they lie, no function may read what is in them. */
  readonly dataDirs: readonly string[];
  readonly processes: number;
  readonly spares: number;
  /** These two: the pool's own numbers, unless said. */
  readonly apart?: number;
  readonly runsPerProcess?: number;
}

export interface OpenFunction extends ListedFunction {
  readonly from: "catalog" | "project";
}

/** The functions of the catalog and of a project; a project's function replaces the catalog's of the same id. */
export interface OpenedFunctions extends FunctionCatalog {
  /** Sorted by id. */
  list(): readonly OpenFunction[];
  readonly problems: readonly LoadError[];
  readonly replaced: readonly string[];
  /** Reads the project's folder again. What is broken now stays as it was; returns why it is. */
  reload(): Promise<readonly LoadError[]>;
  stats(): PoolStats;
  /** What loading has started ends: the first run starts its processes. */
  rest(): void;
  close(): Promise<void>;
}

const NO_PROCESSES: PoolStats = { children: 0, apart: 0, ready: 0, active: 0, queued: 0, killed: 0, pids: [] };

/** Loads both. No process is started before there is a function to run in one. */
export async function openFunctions(options: OpenFunctionsOptions): Promise<OpenedFunctions> {
  let pool: Pool | undefined;
  const poolForFiles = () =>
    (pool ??= createPool({
      clock: options.clock,
      log: options.log,
      prelude: preparePrelude(options.ownCacheDir),
      children: options.processes,
      spares: options.spares,
      ...(options.apart !== undefined && { apart: options.apart }),
      ...(options.runsPerProcess !== undefined && { runsPerChild: options.runsPerProcess }),
      // Functions that are prepared already need no process to be loaded, and many services are never asked for one.
      startsOnUse: true,
    }));
  const problems: LoadError[] = [];
  const closed = closedPlaces(options);
  const folders = (cacheDir: string | undefined) => ({
    ...(cacheDir !== undefined && { cacheDir }),
    ...(options.ownCacheDir !== undefined && { toolsDir: options.ownCacheDir }),
  });
  const open = (folder: string | undefined, closed: readonly ClosedPlace[], cacheDir: string | undefined) => {
    const files = folder === undefined ? [] : functionFiles(folder);
    if (files.length === 0) return null;
    return createFunctions({
      files: files.map((file) => ({ file, root: folder!, closed })),
      pool: poolForFiles(),
      ...folders(cacheDir),
      onProblem: (problem) => problems.push(problem),
    });
  };
  const [catalog, opened] = await Promise.all([
    // Nobody keeps data in the catalog: what it may import is the same wherever a store lies.
    open(options.catalog, [], options.ownCacheDir),
    open(options.project, closed, options.cacheDir),
  ]);
  for (const { id, file } of catalog?.list() ?? []) {
    const expected = id.slice(PREFIX.dataFunction.length);
    if (basename(file, extname(file)) !== expected)
      problems.push(new LoadError(file, [`a function with the id ${id} has to be in functions/${expected}.ts`]));
  }
  let project = opened;

  return {
    problems,
    find: (id) => project?.find(id) ?? catalog?.find(id),
    list: () => {
      const byId = new Map<string, OpenFunction>();
      for (const listed of catalog?.list() ?? []) byId.set(listed.id, { ...listed, from: "catalog" });
      for (const listed of project?.list() ?? []) byId.set(listed.id, { ...listed, from: "project" });
      return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    get replaced() {
      return (project?.list() ?? []).map(({ id }) => id).filter((id) => catalog?.find(id) !== undefined);
    },
    reload: async () => {
      const { project: folder } = options;
      if (folder === undefined) return [];
      project ??= await createFunctions({ files: [], pool: poolForFiles(), ...folders(options.cacheDir) });
      return reloadAll(project, folder, closed);
    },
    stats: () => pool?.stats() ?? NO_PROCESSES,
    rest: () => pool?.rest(),
    close: async () => pool?.close(),
  };
}

/** Functions are not trusted: what holds secrets is closed to their imports. */
function closedPlaces({ dataDirs, project }: OpenFunctionsOptions): readonly ClosedPlace[] {
  const configFiles = project === undefined ? [] : configFilesOf(project);
  return [
    ...dataDirs.map((folder) => ({ path: resolve(folder), name: "the data directory" })),
    ...configFiles.map((file) => ({ path: resolve(file), name: "the settings of the service" })),
  ];
}

/** Files that are gone go first, so that an id may move from one file to another. */
async function reloadAll(
  functions: Functions,
  folder: string,
  closed: readonly ClosedPlace[],
): Promise<readonly LoadError[]> {
  const files = functionFiles(folder);
  for (const { file } of functions.list()) if (!files.includes(file)) functions.remove(file);
  const problems: LoadError[] = [];
  for (const file of files) {
    try {
      await functions.reload({ file, root: folder, closed });
    } catch (thrown) {
      if (!(thrown instanceof LoadError)) throw thrown;
      problems.push(thrown);
    }
  }
  return problems;
}
