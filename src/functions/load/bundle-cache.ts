import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  bundleContract,
  bundleContractCompiler,
  bundlePrelude,
  bundleType,
  type BuiltBundle,
  type FunctionFile,
} from "./bundle.ts";
import { moduleBeside } from "../../terms/platform/module-beside.ts";
import { hashOf, type Contract } from "../bundled.ts";
import type { ContractTools } from "./compile-contract.ts";
import { isUnchanged } from "../imports/evidence.ts";
import { readSavedText, writeSavedText } from "../../terms/platform/saved-text.ts";

/** A cached file, with all that is needed to run it without bundling or evaluating it again. */
export interface Prepared {
  readonly bundle: BuiltBundle;
  /** The declaration as JSON, read in an isolate. */
  readonly declarationJson: string;
  readonly contract: Contract | null;
  /** The digest of code and declaration. */
  readonly version: string;
}

export interface BundleCache {
  find(file: FunctionFile): Promise<Prepared | null>;
  save(file: FunctionFile, prepared: Prepared): Promise<void>;
}

const NO_CACHE: BundleCache = {
  find: () => Promise.resolve(null),
  save: () => Promise.resolve(),
};

/**
 * Caches prepared functions in a folder, so that a start needs neither bundler nor isolate. Without a folder it caches
 * nothing.
 */
export function openBundleCache(folder: string | undefined): BundleCache {
  if (folder === undefined) return NO_CACHE;

  /**
   * The cache file of a function. Its name includes the root and the closed paths, because they decide which imports
   * are allowed.
   */
  async function cachePathOf({ file, root, closed }: FunctionFile): Promise<string> {
    return join(folder!, `${hashOf(JSON.stringify([file, root, closed, await versionOfTools()]))}.json`);
  }

  return {
    find: async (file) => {
      const text = await readSavedText(await cachePathOf(file));
      if (text === null) return null;
      try {
        // A file of an earlier release has no version.
        const cached = JSON.parse(text) as Omit<Prepared, "version"> & Partial<Prepared>;
        const { version } = cached;
        return version !== undefined && (await isUnchanged(cached.bundle.evidence)) ? { ...cached, version } : null;
      } catch {
        return null;
      }
    },
    save: async (file, prepared) => writeSavedText(await cachePathOf(file), JSON.stringify(prepared)),
  };
}

/** The prelude, from the folder if the prelude's sources are unchanged. */
export function preparePrelude(folder: string | undefined): Promise<string> {
  return prepareScript(folder, "prelude", bundlePrelude);
}

/** The real `Type`, from the folder in the same way. */
export function prepareType(folder: string | undefined): Promise<string> {
  return prepareScript(folder, "type", bundleType);
}

/**
 * The code that compiles and checks contracts, from the folder in the same way. Each part is prepared when it is first
 * needed.
 */
export function prepareContractTools(folder: string | undefined): ContractTools {
  let compiler: Promise<string> | undefined;
  let runtime: Promise<string> | undefined;
  return {
    compiler: () => (compiler ??= prepareScript(folder, "contract-compiler", bundleContractCompiler)),
    runtime: () => (runtime ??= prepareScript(folder, "contract", bundleContract)),
  };
}

async function prepareScript(folder: string | undefined, name: string, bundle: () => Promise<string>): Promise<string> {
  if (folder === undefined) return bundle();
  const scriptPath = join(folder, `${name}-${await versionOfTools()}.js`);
  const saved = await readSavedText(scriptPath);
  if (saved !== null) return saved;
  const code = await bundle();
  await writeSavedText(scriptPath, code).catch(() => {});
  return code;
}

let tools: Promise<string> | undefined;

/** A version that changes with the bundler, with the rules for imports, and with every file that runs in an isolate. */
function versionOfTools(): Promise<string> {
  tools ??= (async () => {
    const names = [
      "./bundle.ts",
      "./bundler.ts",
      "./compile-contract.ts",
      "../../terms/schema/schema-problem.ts",
      "../../terms/json/exact-json.ts",
      "../../terms/json/exact-number.ts",
      "../../terms/json/json-pointer.ts",
      "../../terms/schema/schema-names.ts",
    ] as const;
    const own = names.map((name) => fileURLToPath(moduleBeside(name, import.meta.url)));
    const files = [...own, ...(await filesIn("../imports/")), ...(await filesIn("../inside/"))];
    const packages = ["esbuild", "typebox", "ajv", "ajv-formats"].map(manifestOf);
    const texts = await Promise.all([...files, ...packages].map((file) => readFile(file, "utf8")));
    return hashOf(JSON.stringify(texts));
  })();
  return tools;
}

async function filesIn(folder: string): Promise<string[]> {
  const path = fileURLToPath(new URL(folder, import.meta.url));
  return (await readdir(path)).sort().map((name) => join(path, name));
}

/** The path of a package's package.json, even if the package does not export it. */
export function manifestOf(name: string): string {
  const entry = fileURLToPath(import.meta.resolve(name));
  const folder = join("node_modules", name);
  return join(entry.slice(0, entry.lastIndexOf(folder) + folder.length), "package.json");
}
