import type { StoredVersions, VersionKind, VersionStore } from "../admin/ports.ts";
import type { RunnableFunction, RunnableSource, VersionLoader } from "../run/ports.ts";
import { loadStoredSource } from "../sources/load-stored.ts";
import { BoundedMap } from "../terms/collections/bounded-map.ts";
import { Fault, type FaultDetail, type FaultOptions } from "../terms/fault.ts";
import { LoadError } from "../terms/load-error.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { createSchemas } from "../terms/schema/author-schemas.ts";
import type { Clock } from "../terms/time/clock.ts";
import { withTimeout } from "../terms/time/within.ts";
import { SHORT_DIGEST } from "../terms/version.ts";
import type { OpenedFunctions } from "./open-functions.ts";

export interface StoredVersionsParts {
  readonly store: Pick<VersionStore, "versionTexts">;
  readonly functions: () => Promise<Pick<OpenedFunctions, "loadStored">>;
  readonly clock: Clock;
}

/** The most versions of functions, and of sources, that are in memory. */
export const VERSIONS_MAX = 100;
/** How long a run waits for a version. Loading continues, for later runs. */
const LOAD_MS_MAX = 5_000;
/** After a failure, the version is not loaded again for this long. */
const FAILED_MS = 1_000;

type MakeFault = (detail: FaultDetail, options: FaultOptions) => Fault;

const FAULTS_OF: Readonly<Record<VersionKind, { readonly unavailable: MakeFault; readonly unusable: MakeFault }>> = {
  function: {
    unavailable: (...of) => new Fault("function.version_unavailable", ...of),
    unusable: (...of) => new Fault("function.version_unusable", ...of),
  },
  source: {
    unavailable: (...of) => new Fault("source.version_unavailable", ...of),
    unusable: (...of) => new Fault("source.version_unusable", ...of),
  },
};

/**
 * Loads versions of functions and sources from the store: for workflows that name them, when a run or a verb first uses
 * them. Each is loaded once, whatever the number of runs that wait for it.
 */
export function createStoredVersions({ store, functions, clock }: StoredVersionsParts): VersionLoader & StoredVersions {
  const schemas = createSchemas();

  async function textsOf(kind: VersionKind, id: string, digest: string) {
    const texts = await store.versionTexts({ kind, id, digest });
    if (texts === null) throw new LoadError(nameOf(id, digest), "it is not in the store");
    return texts;
  }

  const sources = cached(clock, async (id, digest): Promise<Loaded<RunnableSource>> => {
    const runnable = await loadStoredSource(nameOf(id, digest), digest, await textsOf("source", id, digest), schemas);
    return { runnable: sameId(runnable, id, digest), forget: () => {} };
  });
  const ofFunctions = cached(clock, async (id, digest): Promise<Loaded<RunnableFunction>> => {
    const { content } = await textsOf("function", id, digest);
    const loaded = await (await functions()).loadStored(nameOf(id, digest), digest, content);
    sameId(loaded.runnable, id, digest);
    return loaded;
  });

  function forRun<Runnable>(
    kind: VersionKind,
    digest: string,
    found: Runnable | Promise<Runnable>,
  ): Runnable | Promise<Runnable> {
    if (!(found instanceof Promise)) return found;
    const { unavailable, unusable } = FAULTS_OF[kind];
    const detail = { version: digest.slice(0, SHORT_DIGEST) };
    const loading = (found as Promise<Runnable>).catch((cause: unknown) => {
      throw isUnusable(cause) ? unusable(detail, { cause }) : unavailable(detail, { cause });
    });
    return withTimeout(clock, LOAD_MS_MAX, loading, () => unavailable(detail, {}));
  }

  return {
    source(loaded, digest) {
      const found = sources(loaded.id, digest);
      if (!(found instanceof Promise)) return besideLoaded(found, loaded);
      return forRun(
        "source",
        digest,
        found.then((source) => besideLoaded(source, loaded)),
      );
    },
    function: ({ id }, digest) => forRun("function", digest, ofFunctions(id, digest)),
    tryFunction: async (id, digest) => orRefused(ofFunctions(id, digest)),
    trySource: async (loaded, digest) => besideLoaded(await orRefused(sources(loaded.id, digest)), loaded),
  };
}

function isUnusable(error: unknown): boolean {
  return error instanceof LoadError || (error instanceof OperatorError && error.code === "refused");
}

async function orRefused<Runnable>(found: Runnable | Promise<Runnable>): Promise<Runnable> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof LoadError)
      throw new OperatorError("refused", `${error.file} cannot be used: ${error.reason}.`, { cause: error });
    const says = error instanceof Fault ? error.says : "it failed";
    throw new OperatorError("unavailable", `The version cannot be loaded now: ${says}.`, { cause: error });
  }
}

function nameOf(id: string, digest: string): string {
  return `Version ${digest.slice(0, SHORT_DIGEST)} of ${id}`;
}

function sameId<Runnable extends { readonly id: string }>(runnable: Runnable, id: string, digest: string): Runnable {
  if (runnable.id === id) return runnable;
  throw new LoadError(nameOf(id, digest), "its declaration has another id");
}

const BESIDE = new WeakMap<RunnableSource, RunnableSource>();

/**
 * A version that shares the limits of the loaded version, and has its cases if it has none of its own: those of a file
 * `<name>.cases.json` are no part of a version.
 */
function besideLoaded(version: RunnableSource, loaded: RunnableSource): RunnableSource {
  let beside = BESIDE.get(version);
  if (beside?.limitedAs !== loaded) {
    const { declaration } = version;
    beside = { ...version, declaration: withCasesOf(declaration, loaded), limitedAs: loaded };
    BESIDE.set(version, beside);
  }
  return beside;
}

function withCasesOf(declaration: RunnableSource["declaration"], loaded: RunnableSource) {
  if (Object.hasOwn(declaration, "cases")) return declaration;
  return Object.defineProperty({ ...declaration }, "cases", {
    enumerable: true,
    get: () => loaded.declaration.cases,
  });
}

interface Loaded<Runnable> {
  readonly runnable: Runnable;
  /** Called when it is removed from memory. */
  forget(): void;
}

/** Looks up by id and digest: a plain value if it is in memory. */
function cached<Runnable>(
  clock: Clock,
  load: (id: string, digest: string) => Promise<Loaded<Runnable>>,
): (id: string, digest: string) => Runnable | Promise<Runnable> {
  const known = new Map<string, Loaded<Runnable>>();
  const loading = new Map<string, Promise<Runnable>>();
  const failed = new BoundedMap<string, { readonly error: unknown; readonly until: number }>(VERSIONS_MAX);

  async function loadInto(key: string, id: string, digest: string): Promise<Runnable> {
    try {
      const loaded = await load(id, digest);
      known.set(key, loaded);
      for (const [oldest, { forget }] of known) {
        if (known.size <= VERSIONS_MAX) break;
        known.delete(oldest);
        forget();
      }
      return loaded.runnable;
    } catch (error) {
      failed.set(key, { error, until: clock.now() + FAILED_MS });
      throw error;
    } finally {
      loading.delete(key);
    }
  }

  return (id, digest) => {
    const key = `${id}/${digest}`;
    const found = known.get(key);
    if (found !== undefined) return found.runnable;
    const failure = failed.get(key);
    if (failure !== undefined && clock.now() < failure.until) return Promise.reject(failure.error as Error);
    const started = loading.get(key) ?? loadInto(key, id, digest);
    loading.set(key, started);
    return started;
  };
}
