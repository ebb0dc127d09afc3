import type { FunctionCase } from "../sdk/data-function.ts";
import type { FunctionCatalog, RunnableFunction } from "../run/ports.ts";
import { openBundleCache, prepareContractTools, prepareType } from "./load/bundle-cache.ts";
import type { FunctionFacts } from "./load/declaration.ts";
import { LoadError } from "../terms/load-error.ts";
import type { FunctionFile } from "./load/bundle.ts";
import { loadFunction, type LoadedFunction, type LoadTools } from "./load/load-function.ts";
import { readCases } from "./load/read-cases.ts";
import { readCode } from "./load/read-own-file.ts";
import type { Pool } from "./pool/pool.ts";
import { isolateKey } from "./pool/running.ts";

export interface FunctionsOptions {
  readonly files: readonly FunctionFile[];
  readonly pool: Pool;
  /** Folder in which bundles are cached for the next start. Default: no cache. */
  readonly cacheDir?: string;
  /** Folder in which the bundled prelude, `Type` and contract compiler are cached. Default: no cache. */
  readonly toolsDir?: string;
  /**
   * Called for each file that cannot be used; the other files are loaded. Without it, the first such file ends the
   * loading.
   */
  readonly onProblem?: (problem: LoadError) => void;
}

export interface ListedFunction extends FunctionFacts, Pick<LoadedFunction, "version" | "texts"> {
  readonly file: string;
  /** The current text of the file; `null` if it cannot be shown. */
  code(): Promise<string | null>;
  /** All cases, including those of `<name>.cases.json` as that file is now. @throws LoadError */
  readCases(): Promise<readonly FunctionCase[]>;
}

export interface Functions extends FunctionCatalog {
  list(): readonly ListedFunction[];
  /**
   * Loads a new or changed file. If it cannot be used, the previous version remains.
   * @param beforeUse awaited before the first run of the new version
   * @throws LoadError
   */
  reload(file: FunctionFile, beforeUse?: (loaded: ListedFunction) => Promise<void>): Promise<ListedFunction>;
  /** Removes the function of a deleted file. */
  remove(file: string): void;
  /** Ends all runs and processes. */
  close(): Promise<void>;
}

/** Loads function files. @throws LoadError for the first file that cannot be used, unless `onProblem` is set */
export async function createFunctions(options: FunctionsOptions): Promise<Functions> {
  const { pool } = options;
  const cache = openBundleCache(options.cacheDir);
  let type: Promise<string> | undefined;
  const tools: LoadTools = {
    typeCode: () => (type ??= prepareType(options.toolsDir)),
    contract: prepareContractTools(options.toolsDir),
  };
  const byId = new Map<string, LoadedFunction & { readonly runnable: RunnableFunction }>();

  function add(loaded: LoadedFunction): void {
    const standing = byId.get(loaded.facts.id);
    if (standing !== undefined && standing.file !== loaded.file)
      throw new LoadError(loaded.file, [`"id" ${loaded.facts.id} is already used by ${standing.file}`]);
    const before = ofFile(loaded.file);
    if (before !== undefined) drop(before);
    byId.set(loaded.facts.id, { ...loaded, runnable: runnableOf(loaded, pool) });
  }

  function ofFile(file: string): LoadedFunction | undefined {
    return byId.values().find((known) => known.file === file);
  }

  function drop(known: LoadedFunction): void {
    byId.delete(known.facts.id);
    pool.forgetBundle(known.bundle.hash);
  }

  const results = await Promise.allSettled(options.files.map((file) => loadFunction(file, pool, cache, tools)));
  for (const result of results) {
    try {
      if (result.status === "rejected") throw result.reason;
      add(result.value);
    } catch (thrown) {
      if (!(thrown instanceof LoadError) || options.onProblem === undefined) throw thrown;
      options.onProblem(thrown);
    }
  }

  return {
    find: (id) => byId.get(id)?.runnable,
    list: () => [...byId.values()].map(listed),
    reload: async (file, beforeUse) => {
      const loaded = await loadFunction(file, pool, cache, tools);
      await beforeUse?.(listed(loaded));
      add(loaded);
      return listed(loaded);
    },
    remove: (file) => {
      const known = ofFile(file);
      if (known !== undefined) drop(known);
    },
    close: () => pool.close(),
  };
}

export function runnableOf(
  { facts, version, bundle }: Pick<LoadedFunction, "facts" | "version" | "bundle">,
  pool: Pool,
): RunnableFunction {
  return {
    id: facts.id,
    version,
    timeoutMs: facts.timeoutMs,
    inputNames: bundle.contract?.inputNames ?? [],
    outputNames: propertyNames(facts.output),
    run: (job, host) =>
      pool.run(
        {
          what: "start",
          bundle,
          organizationId: job.organizationId,
          isolate: isolateKey(job.organizationId, bundle.hash, job.simulated),
          memoryMb: facts.memoryMb,
          deadlineAt: job.deadlineAt,
          timeoutMs: facts.timeoutMs,
          argument: job.argument,
          isShadow: job.isShadow ?? false,
        },
        host,
      ),
  };
}

function propertyNames(schema: object | undefined): readonly string[] {
  const { properties } = (schema ?? {}) as { readonly properties?: unknown };
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

function listed({ facts, file, functionFile, version, texts }: LoadedFunction): ListedFunction {
  return {
    ...facts,
    file,
    version,
    texts,
    code: () => readCode(functionFile),
    readCases: () => readCases(functionFile, facts.cases),
  };
}
