import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, extname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildOptions, Loader, Message, PartialMessage, Plugin } from "esbuild";
import { bundle, BundlerEnded, transform } from "./bundler.ts";
import { ComputedImport, spellOutImports } from "../imports/computed-imports.ts";
import { gatherEvidence, type Evidence, type Gathering } from "../imports/evidence.ts";
import { createResolver, type Resolved, type Resolver } from "../imports/resolve-import.ts";
import { ImportRefused, openImportScope, type ForbiddenPath } from "../imports/import-scope.ts";
import { LoadError } from "../../terms/load-error.ts";
import { moduleBeside } from "../../terms/platform/module-beside.ts";
import { hashOf, type Bundle } from "../bundled.ts";

const AUTHOR = fileURLToPath(moduleBeside("../inside/author.ts", import.meta.url));
const PRELUDE = fileURLToPath(moduleBeside("../inside/open.ts", import.meta.url));
const TYPE = fileURLToPath(moduleBeside("../inside/typebox.ts", import.meta.url));
const CONTRACT = fileURLToPath(moduleBeside("../inside/check-contract.ts", import.meta.url));
const CONTRACT_COMPILER = fileURLToPath(moduleBeside("../inside/schema-compiler.ts", import.meta.url));
const BUNDLE_BYTES_MAX = 5 * 1_048_576;
/** A separate esbuild namespace for files of functions; `file` is that of files that esbuild finds itself. */
const OURS = "function";
const SDK = "datarun";
const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".json": "json",
};
/** The options for reading a single file, alone or with others. */
const READING = {
  platform: "neutral",
  target: "es2024",
  charset: "utf8",
  legalComments: "none",
  logLevel: "silent",
  define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
  tsconfigRaw: {},
} as const satisfies BuildOptions;

export interface FunctionFile {
  readonly file: string;
  /** The folder that imports may not leave, except for packages. Default: the file's own folder. */
  readonly root?: string;
  /** Files and folders that no import may reach, wherever they are. */
  readonly closed?: readonly ForbiddenPath[];
}

export interface BuiltBundle extends Bundle {
  /** The files and look-ups that the bundle depends on. */
  readonly evidence: Evidence;
  /** Whether the schemas use `Type` of "datarun". */
  readonly usesType: boolean;
}

/**
 * Bundles a function file with all its imports into one script: files of its project and pure npm packages, found from
 * the file's own folder. `imports/` finds and reads each file, never the bundler. @throws LoadError that names file,
 * line and reason, above all if the code would need Node
 */
export async function bundleFunction(
  file: string,
  root: string,
  closed: readonly ForbiddenPath[],
): Promise<BuiltBundle> {
  const top = await realpath(root);
  const gathering = gatherEvidence();
  const resolver = createResolver(openImportScope(top, closed), gathering);
  const files = new Map<string, string>();
  const text = await build(file, [onlyThrough(resolver, gathering, top, files)], files);
  if (text.length > BUNDLE_BYTES_MAX) throw new LoadError(file, ["together with its imports it is larger than 5 MiB"]);
  const code = `__take(function () {\n${text}\nreturn __function;\n});`;
  return { code, evidence: await gathering.evidence(), hash: hashOf(code), usesType: text.includes("__datarunType") };
}

/** The same bundle, with the real `Type` before it. */
export function withType(bundle: BuiltBundle, type: string): BuiltBundle {
  const code = `${type}\n${bundle.code}`;
  return { ...bundle, code, hash: hashOf(code) };
}

/**
 * The code that runs in every context before the function. Its value is the function `open`. It is strict, so that the
 * author's code cannot get its functions from a stack trace or `caller`.
 */
export async function bundlePrelude(): Promise<string> {
  return `(function () {\n"use strict";\n${await build(PRELUDE)}\nreturn __function.open;\n})();`;
}

/** The code that defines the real `Type` for bundles that run after it. */
export async function bundleType(): Promise<string> {
  return `globalThis.__datarunType = (function () {\n"use strict";\n${await build(TYPE)}\nreturn __function.Type;\n})();`;
}

/** The runtime that a function's compiled schemas need. */
export async function bundleContract(): Promise<string> {
  return build(CONTRACT);
}

/** The code that compiles schemas. It runs like a function. */
export async function bundleContractCompiler(): Promise<string> {
  return `__take(function () {\n${await build(CONTRACT_COMPILER)}\nreturn __function;\n});`;
}

async function build(
  file: string,
  plugins: Plugin[] = [],
  files: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  try {
    return await bundle({
      ...READING,
      entryPoints: [file],
      absWorkingDir: dirname(file),
      bundle: true,
      format: "iife",
      globalName: "__function",
      mainFields: ["module", "main"],
      plugins,
    });
  } catch (error) {
    if (error instanceof BundlerEnded) throw new LoadError(file, [`it cannot be bundled: ${error.message}`], error);
    const messages = (error as { errors?: readonly Message[] }).errors;
    if (messages === undefined) throw error;
    throw new LoadError(
      file,
      messages.map((message) => sentence(file, message, files)),
      error,
    );
  }
}

function sentence(file: string, { text, location }: Message, files: ReadonlyMap<string, string>): string {
  if (location === null) return text;
  const where = files.get(location.file.replace(`${OURS}:`, "")) ?? resolve(dirname(file), location.file);
  const place = where === file ? "" : `${relative(dirname(file), where)} `;
  return `${place}line ${location.line}: ${text}`;
}

/**
 * An esbuild plugin that is the only access to files: it resolves every import, reads every file and refuses everything
 * else. The author's code can see the file names in a bundle, so they are relative to the project; `files` maps them to
 * real paths.
 */
function onlyThrough(resolver: Resolver, gathering: Gathering, root: string, files: Map<string, string>): Plugin {
  async function found(specifier: string, resolving: Promise<Resolved>) {
    try {
      const resolved = await resolving;
      // This extension tells esbuild that the file is an ES module, in which the default import of a CommonJS file is
      // all its exports.
      const path = relative(root, resolved.file) + (resolved.isModule ? ".mts" : "");
      files.set(path, resolved.file);
      return { path, namespace: OURS, sideEffects: resolved.sideEffects, pluginData: resolved };
    } catch (thrown) {
      return refuse(thrown instanceof ImportRefused ? thrown.message : `"${specifier}" ${whyUnread(thrown)}`);
    }
  }

  return {
    name: "imports",
    setup(build) {
      build.onResolve({ filter: /(?:)/ }, (asked) => {
        const { path, kind } = asked;
        if (kind === "entry-point") return found(path, resolver.entry(path));
        // The bundle has this name in a comment: a path would make the version depend on where the service is installed.
        if (path === "datarun") return { path: "author", namespace: SDK };
        const wrong = Object.entries(asked.with).find(([key, value]) => key !== "type" || value !== "json");
        if (wrong !== undefined)
          return refuse(`with { ${wrong[0]}: "${wrong[1]}" } is not possible: functions import code and JSON only`);
        return found(path, resolver.import(path, asked.pluginData as Resolved, kind === "require-call"));
      });
      build.onLoad({ filter: /(?:)/, namespace: SDK }, async () => ({
        contents: await readFile(AUTHOR),
        loader: LOADERS[extname(AUTHOR)]!,
      }));
      build.onLoad({ filter: /(?:)/, namespace: OURS }, async ({ pluginData }) => {
        const resolved = pluginData as Resolved;
        try {
          const loader = LOADERS[extname(resolved.file)]!;
          const text = (await gathering.read(resolved.file)).toString();
          const contents =
            loader === "json"
              ? text
              : await spellOutImports(text, { ...READING, loader }, transform, resolved, gathering);
          return { contents, loader, pluginData: resolved };
        } catch (error) {
          return { errors: problemsOf(resolved.file, error) };
        }
      });
      build.onLoad({ filter: /(?:)/ }, () => refuse("this file was not imported by name"));
    },
  };
}

/** Why a file could not be read; with the line, if its code is the reason. */
function problemsOf(file: string, error: unknown): PartialMessage[] {
  if (error instanceof ComputedImport) return [{ text: error.message, location: { file, line: error.line } }];
  const { errors } = error as { errors?: readonly Message[] };
  if (errors === undefined) return [{ text: `"${basename(file)}" ${whyUnread(error)}` }];
  return errors.map(({ text, location }) => ({
    text,
    location: location === null ? null : { ...location, file },
  }));
}

function whyUnread(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
}

function refuse(text: string): { readonly errors: PartialMessage[] } {
  return { errors: [{ text }] };
}
