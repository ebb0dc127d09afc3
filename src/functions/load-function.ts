import { dirname } from "node:path";
import { Fault } from "../terms/fault.ts";
import type { BundleCache, Prepared } from "./bundle-cache.ts";
import { bundleFunction, withType } from "./bundle.ts";
import { checkDeclaration, type FunctionFacts } from "./declaration.ts";
import { FunctionLoadError } from "./load-error.ts";
import type { ClosedPlace } from "./imports/territory.ts";
import type { Pool } from "./pool.ts";
import type { Bundle } from "./running.ts";

export interface FunctionFile {
  readonly file: string;
  /** The folder that its imports may not leave, except for packages; the file's own unless said. */
  readonly root?: string;
  /** What no import may lead to, wherever it lies. */
  readonly closed?: readonly ClosedPlace[];
}

export interface LoadedFunction {
  readonly file: string;
  readonly facts: FunctionFacts;
  readonly bundle: Bundle;
}

/** Gives the code of the real `Type`, built when it is first asked for. */
export type TypeCode = () => Promise<string>;

/**
 * From a file to something that can be run. The file's code is never executed in this process: its declaration is read
 * by evaluating it in an isolate. @throws FunctionLoadError
 */
export async function loadFunction(
  given: FunctionFile,
  pool: Pool,
  cache: BundleCache,
  typeCode: TypeCode,
): Promise<LoadedFunction> {
  const { file } = given;
  const kept = await cache.find(given);
  const prepared = kept ?? (await prepare(given, pool, typeCode));
  const facts = checkDeclaration(file, prepared.declarationJson);
  // A cache that cannot be written costs time at the next start and nothing else.
  if (kept === null) await cache.keep(given, prepared).catch(() => {});
  return { file, facts, bundle: { hash: prepared.bundle.hash, code: prepared.bundle.code } };
}

async function prepare({ file, root, closed }: FunctionFile, pool: Pool, typeCode: TypeCode): Promise<Prepared> {
  const lean = await bundleFunction(file, root ?? dirname(file), closed ?? []);
  if (!lean.usesType) return { bundle: lean, declarationJson: await describe(file, lean, pool) };
  const whole = withType(lean, await typeCode());
  const declarationJson = await describe(file, whole, pool);
  // A file that looks into its schemas while it is evaluated needs the real ones in every run.
  const bundle = await pool.check(lean).then(
    () => lean,
    () => whole,
  );
  return { bundle, declarationJson };
}

async function describe(file: string, bundle: Bundle, pool: Pool): Promise<string> {
  try {
    return await pool.describe(bundle);
  } catch (thrown) {
    const cause: unknown = thrown instanceof Fault ? thrown.cause : thrown;
    const why = cause instanceof Error ? cause.message : thrown instanceof Fault ? thrown.says : String(thrown);
    throw new FunctionLoadError(file, [`it cannot be evaluated: ${why}`], thrown);
  } finally {
    pool.forgetBundle(bundle.hash);
  }
}
