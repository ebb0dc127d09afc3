import { dirname } from "node:path";
import { Fault } from "../../terms/fault.ts";
import type { BundleCache, Prepared } from "./bundle-cache.ts";
import { type Bundle, type Contract, hashOf } from "../bundled.ts";
import { bundleFunction, withType, type FunctionFile } from "./bundle.ts";
import { compileContract, type CompiledContract, type ContractTools } from "./compile-contract.ts";
import { checkDeclaration, type FunctionFacts } from "./declaration.ts";
import { readOwnFiles } from "../imports/evidence.ts";
import { LoadError } from "../../terms/load-error.ts";
import { digestOf, type VersionTexts } from "../../terms/version.ts";
import type { Pool } from "../pool/pool.ts";

export interface LoadedFunction {
  readonly file: string;
  /** The file, with the limits for reading it and its imports. */
  readonly functionFile: Required<FunctionFile>;
  readonly facts: FunctionFacts;
  readonly version: string;
  /** The texts of the version. A file that has changed since it was loaded is left out. */
  readonly texts: () => Promise<VersionTexts>;
  readonly bundle: Bundle;
}

/** Code that only some files need, bundled when it is first needed. */
export interface LoadTools {
  /** The real `Type`. */
  typeCode(): Promise<string>;
  readonly contract: ContractTools;
}

/**
 * Loads a file as a function that can be run. This process never executes the file's code: an isolate evaluates it to
 * read the declaration. @throws LoadError
 */
export async function loadFunction(
  functionFile: FunctionFile,
  pool: Pool,
  cache: BundleCache,
  tools: LoadTools,
): Promise<LoadedFunction> {
  const { file } = functionFile;
  const cached = await cache.find(functionFile);
  const { prepared, problems } =
    cached === null ? await prepare(functionFile, pool, tools) : { prepared: cached, problems: [] };
  const facts = checkDeclaration(file, prepared.declarationJson, problems);
  // If the cache cannot be written, only the next start is slower.
  if (cached === null) await cache.save(functionFile, prepared).catch(() => {});
  const { bundle, version } = prepared;
  const { root = dirname(file), closed = [] } = functionFile;
  const texts = async () => ({
    content: functionContent(bundle, prepared.declarationJson),
    source: await readOwnFiles(bundle.evidence, root),
  });
  return {
    file,
    functionFile: { file, root, closed },
    facts,
    version,
    texts,
    bundle: withContract(bundle, prepared.contract),
  };
}

/** The hash includes the contract, because a process may have the bundle from loading, without a contract. */
export function withContract({ hash, code }: Bundle, contract: Contract | null): Bundle {
  return { hash: contract === null ? hash : hashOf(`${hash}\n${contract.code}`), code, contract };
}

/** The content of a version of a function: all that runs. The contract follows from the declaration. */
function functionContent({ code }: Pick<Bundle, "code">, declarationJson: string): string {
  return JSON.stringify({ code, declaration: declarationJson });
}

async function prepare(
  functionFile: FunctionFile,
  pool: Pool,
  tools: LoadTools,
): Promise<{ readonly prepared: Prepared; readonly problems: readonly string[] }> {
  const { bundle, declarationJson } = await evaluate(functionFile, pool, tools);
  const { contract, problems } = await compile(functionFile.file, declarationJson, pool, tools);
  const version = digestOf(functionContent(bundle, declarationJson));
  return { prepared: { bundle, declarationJson, contract, version }, problems };
}

async function evaluate(
  { file, root, closed }: FunctionFile,
  pool: Pool,
  tools: LoadTools,
): Promise<Pick<Prepared, "bundle" | "declarationJson">> {
  const lean = await bundleFunction(file, root ?? dirname(file), closed ?? []);
  if (!lean.usesType) return { bundle: lean, declarationJson: await describe(file, lean, pool) };
  const complete = withType(lean, await tools.typeCode());
  const declarationJson = await describe(file, complete, pool);
  // A file that inspects its schemas while it is evaluated needs the real `Type` in every run.
  const bundle = await pool.check(lean).then(
    () => lean,
    () => complete,
  );
  return { bundle, declarationJson };
}

async function describe(file: string, bundle: Bundle, pool: Pool): Promise<string> {
  try {
    return await readDeclaration(bundle, pool);
  } catch (thrown) {
    throw new LoadError(file, [`it cannot be evaluated: ${reasonOf(thrown)}`], thrown);
  }
}

/** Evaluates a bundle that is not needed afterwards. Returns its declaration as JSON. */
export async function readDeclaration(bundle: Bundle, pool: Pool): Promise<string> {
  try {
    return await pool.describe(bundle);
  } finally {
    pool.forgetBundle(bundle.hash);
  }
}

async function compile(file: string, json: string, pool: Pool, tools: LoadTools): Promise<CompiledContract> {
  try {
    return await compileContract(json, pool, tools.contract);
  } catch (thrown) {
    const problem = `"inputs" and "output" cannot be compiled: ${reasonOf(thrown)}`;
    throw new LoadError(file, [problem], thrown);
  }
}

export function reasonOf(thrown: unknown): string {
  const cause: unknown = thrown instanceof Fault ? thrown.cause : thrown;
  return cause instanceof Error ? cause.message : thrown instanceof Fault ? thrown.says : String(thrown);
}
