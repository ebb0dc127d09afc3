import { basename, extname, resolve } from "node:path";
import { configFilesOf } from "./config-file.ts";
import { prepareContractTools, preparePrelude, prepareType } from "../functions/load/bundle-cache.ts";
import { createFunctions, runnableOf, type Functions, type ListedFunction } from "../functions/catalog.ts";
import { loadStoredFunction } from "../functions/load/load-stored.ts";
import type { LoadTools } from "../functions/load/load-function.ts";
import { LoadError } from "../terms/load-error.ts";
import type { PoolStats } from "../functions/pool/function-process.ts";
import { createPool, type Pool } from "../functions/pool/pool.ts";
import type { ForbiddenPath } from "../functions/imports/import-scope.ts";
import type { FunctionsLog } from "../functions/ports.ts";
import { functionFiles } from "./load-sources.ts";
import type { FunctionCatalog, RunnableFunction } from "../run/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { PREFIX } from "../terms/ids.ts";

export interface FunctionFolders {
  /** If left out, the catalog's functions are not loaded. */
  readonly catalog: string | undefined;
  readonly project: string | undefined;
}

/** The cache folders of bundled functions. A cache only makes a start faster. */
export interface FunctionCaches {
  /** The cache of the project's functions. */
  readonly cacheDir?: string | undefined;
  /** The cache of the catalog's functions and of the shared tools: the same for every store and project. */
  readonly ownCacheDir?: string | undefined;
}

export interface OpenFunctionsOptions extends FunctionFolders, FunctionCaches {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  /** Folders that functions may not read, wherever they are. */
  readonly dataDirs: readonly string[];
  /** The most processes that serve organizations at the same time; 0 derives the number from the memory. */
  readonly processes: number;
  /** Whether a process is kept ready for the next organization. */
  readonly spare: boolean;
}

export interface OpenFunction extends ListedFunction {
  readonly from: "catalog" | "project";
}

/** A version of a function from the store. */
export interface StoredFunction {
  readonly runnable: RunnableFunction;
  /** Removes its code from the processes of functions. A later run sends it again. */
  forget(): void;
}

type BeforeUse = (loaded: OpenFunction) => Promise<void>;

/** The functions of the catalog and of a project. A project's function replaces a catalog function with the same id. */
export interface OpenedFunctions extends FunctionCatalog {
  /** Sorted by id. */
  list(): readonly OpenFunction[];
  readonly problems: readonly LoadError[];
  readonly replaced: readonly string[];
  /**
   * Reloads the project's folder. A broken file keeps its previous version. Returns the problems.
   * @param beforeUse awaited before the first run of a loaded version
   */
  reload(beforeUse: BeforeUse): Promise<readonly LoadError[]>;
  /**
   * Prepares a version from its stored content, whose digest has been verified.
   * @throws LoadError if the version cannot be used; any other error if it cannot be evaluated now
   */
  loadStored(name: string, digest: string, content: string): Promise<StoredFunction>;
  stats(): PoolStats;
  /** Ends the process that loading has started. The first run starts processes again. */
  rest(): void;
  /**
   * If the project has functions, starts one process, so that `problem` reports whether functions can run. Never
   * rejects.
   */
  verify(): Promise<void>;
  /** Why functions cannot run now; `null` if they can or no problem is known. */
  problem(): string | null;
  /** Whether the project has functions of its own. */
  hasOwn(): boolean;
  close(): Promise<void>;
}

const NO_PROCESSES: PoolStats = {
  processes: 0,
  processesMax: 0,
  assigned: 0,
  ready: 0,
  active: 0,
  queued: 0,
  killed: 0,
  shadowsKilled: 0,
  pids: [],
};

/** Loads the functions of catalog and project. Starts no process unless a function needs one. */
export async function openFunctions(options: OpenFunctionsOptions): Promise<OpenedFunctions> {
  let pool: Pool | undefined;
  const poolForFiles = () =>
    (pool ??= createPool({
      clock: options.clock,
      log: options.log,
      prelude: preparePrelude(options.ownCacheDir),
      processes: options.processes,
      spare: options.spare,
      // Loading functions from the cache needs no process, and many services never run a function.
      startsOnUse: true,
    }));
  let tools: LoadTools | undefined;
  const problems: LoadError[] = [];
  const closed = forbiddenFolders(options);
  const folders = (cacheDir: string | undefined) => ({
    ...(cacheDir !== undefined && { cacheDir }),
    ...(options.ownCacheDir !== undefined && { toolsDir: options.ownCacheDir }),
  });
  const open = (folder: string | undefined, closed: readonly ForbiddenPath[], cacheDir: string | undefined) => {
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
    // The catalog contains no data directory, so the imports of its functions do not depend on the store.
    open(options.catalog, [], options.ownCacheDir),
    open(options.project, closed, options.cacheDir),
  ]);
  for (const { id, file } of catalog?.list() ?? []) {
    const expected = id.slice(PREFIX.dataFunction.length);
    if (basename(file, extname(file)) !== expected)
      problems.push(new LoadError(file, [`a function with the id ${id} has to be in functions/${expected}.ts`]));
  }
  let project = opened;
  const hasOwn = () => (project?.list().length ?? 0) > 0;

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
    reload: async (beforeUse) => {
      const { project: folder } = options;
      if (folder === undefined) return [];
      project ??= await createFunctions({ files: [], pool: poolForFiles(), ...folders(options.cacheDir) });
      return reloadAll(project, folder, closed, beforeUse);
    },
    loadStored: async (name, digest, content) => {
      const pool = poolForFiles();
      tools ??= {
        typeCode: () => prepareType(options.ownCacheDir),
        contract: prepareContractTools(options.ownCacheDir),
      };
      const { facts, bundle } = await loadStoredFunction(name, content, pool, tools);
      return {
        runnable: runnableOf({ facts, version: digest, bundle }, pool),
        forget: () => pool.forgetBundle(bundle.hash),
      };
    },
    stats: () => pool?.stats() ?? NO_PROCESSES,
    rest: () => pool?.endIdleProcesses(),
    verify: async () => (hasOwn() ? pool?.verify() : undefined),
    problem: () => pool?.problem() ?? null,
    hasOwn,
    close: async () => pool?.close(),
  };
}

/** Functions are not trusted, so they may not import from paths with secrets. */
function forbiddenFolders({ dataDirs, project }: OpenFunctionsOptions): readonly ForbiddenPath[] {
  const configFiles = project === undefined ? [] : configFilesOf(project);
  return [
    ...dataDirs.map((folder) => ({ path: resolve(folder), name: "the data directory" })),
    ...configFiles.map((file) => ({ path: resolve(file), name: "the settings of the service" })),
  ];
}

/** Removes deleted files first, so that an id can move from one file to another. */
async function reloadAll(
  functions: Functions,
  folder: string,
  closed: readonly ForbiddenPath[],
  beforeUse: BeforeUse,
): Promise<readonly LoadError[]> {
  const files = functionFiles(folder);
  for (const { file } of functions.list()) if (!files.includes(file)) functions.remove(file);
  const problems: LoadError[] = [];
  for (const file of files) {
    try {
      await functions.reload({ file, root: folder, closed }, (loaded) => beforeUse({ ...loaded, from: "project" }));
    } catch (thrown) {
      if (!(thrown instanceof LoadError)) throw thrown;
      problems.push(thrown);
    }
  }
  return problems;
}
