import { hash } from "node:crypto";
import type { VersionShare, WorkflowVersions } from "../terms/caller.ts";
import { asFault, Fault } from "../terms/fault.ts";
import { SHORT_DIGEST } from "../terms/version.ts";
import type { FunctionCatalog, Run, RunnableFunction, RunnableSource, SourceCatalog, VersionLoader } from "./ports.ts";

/** A version that a workflow names and that cannot be loaded: a run uses no other one instead. */
export class RefusedVersion {
  readonly version: string;
  readonly fault: Fault;
  constructor(version: string, fault: Fault) {
    this.version = version;
    this.fault = fault;
  }
}

export type FoundVersion<Runnable> = Runnable | undefined | Promise<Runnable | RefusedVersion>;

interface SourceParts {
  readonly catalog: SourceCatalog;
  /** Without it, versions that are not loaded are refused. */
  readonly versions?: VersionLoader | undefined;
}

/**
 * Finds the source of a call: the loaded version, or the one that the workflow names for this run. `undefined` if no source
 * has the id. The promise never rejects.
 */
export function findSource(run: Run, id: string, { catalog, versions }: SourceParts): FoundVersion<RunnableSource> {
  const loaded = catalog.find(id);
  const named = run.caller.workflow.versions;
  if (named === null || loaded === undefined) return loaded;
  const version = chosenVersion(named.sources, id, run.intent.transactionId);
  if (version === null || version === loaded.version) return loaded;
  return refusing(version, versions?.source(loaded, version), new Fault("source.version_unusable", shown(version)));
}

interface FunctionParts {
  readonly functions: FunctionCatalog;
  readonly versions?: VersionLoader | undefined;
}

/** The same for the function of a run. */
export function findFunction(
  named: WorkflowVersions | null,
  id: string,
  transactionId: string,
  { functions, versions }: FunctionParts,
): FoundVersion<RunnableFunction> {
  const loaded = functions.find(id);
  if (named === null || loaded === undefined) return loaded;
  const version = chosenVersion(named.functions, id, transactionId);
  if (version === null || version === loaded.version) return loaded;
  return refusing(version, versions?.function(loaded, version), new Fault("function.version_unusable", shown(version)));
}

function refusing<Runnable>(
  version: string,
  found: Runnable | Promise<Runnable> | undefined,
  otherwise: Fault,
): Runnable | Promise<Runnable | RefusedVersion> {
  if (found === undefined) return Promise.resolve(new RefusedVersion(version, otherwise));
  if (!(found instanceof Promise)) return found;
  return (found as Promise<Runnable>).catch(
    (thrown: unknown) => new RefusedVersion(version, asFault(thrown, otherwise.code)),
  );
}

function shown(version: string) {
  return { version: version.slice(0, SHORT_DIGEST) };
}

/** The digest of the version that a workflow names for a run; `null` for the loaded version. */
function chosenVersion(
  shares: Readonly<Record<string, VersionShare>>,
  id: string,
  transactionId: string,
): string | null {
  const share = Object.hasOwn(shares, id) ? shares[id]! : null;
  return share !== null && isChosen(share.percent, id, transactionId) ? share.version : null;
}

const HASHES = 2 ** 32;

/**
 * Whether a run is among that percentage of all runs. The id of the function or source is part of the hash, so that the
 * choices within one run do not depend on each other.
 */
export function isChosen(percent: number, id: string, transactionId: string): boolean {
  if (percent >= 100) return true;
  const first = Number.parseInt(hash("sha256", `${transactionId}/${id}`, "hex").slice(0, 8), 16);
  return first < (percent / 100) * HASHES;
}
