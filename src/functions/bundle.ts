import { createHash } from "node:crypto";
import { isBuiltin } from "node:module";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Message, Metafile, Plugin } from "esbuild";
import { FunctionLoadError } from "./load-error.ts";
import type { Bundle } from "./running.ts";

const AUTHOR = fileURLToPath(new URL("./inside/author.ts", import.meta.url));
const PRELUDE = fileURLToPath(new URL("./inside/open.ts", import.meta.url));
const TYPE = fileURLToPath(new URL("./inside/type.ts", import.meta.url));
const BUNDLE_BYTES_MAX = 5 * 1_048_576;
const LOADERS = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".json": "json",
} as const;

export interface BuiltBundle extends Bundle {
  /** Absolute paths of all files in it. */
  readonly files: readonly string[];
  /** Whether its schemas are made with `Type` of "datarun". */
  readonly usesType: boolean;
}

/**
 * Makes one script of a function file and all it imports: files of its project and pure npm packages, found from the
 * file's own folder. @throws FunctionLoadError that names file, line and reason, above all for what would need Node
 */
export async function bundleFunction(file: string, root: string): Promise<BuiltBundle> {
  const { text, metafile } = await build(file, [boundaries(resolve(root))]);
  if (text.length > BUNDLE_BYTES_MAX)
    throw new FunctionLoadError(file, ["with all that it imports it is larger than 5 MiB"]);
  const code = `__take(function () {\n${text}\nreturn __function;\n});`;
  const files = Object.keys(metafile.inputs).map((input) => resolve(dirname(file), input));
  return { code, files, hash: hashOf(code), usesType: text.includes("__datarunType") };
}

/** The same bundle with the real `Type` before it. */
export function withType(bundle: BuiltBundle, type: string): BuiltBundle {
  const code = `${type}\n${bundle.code}`;
  return { ...bundle, code, hash: hashOf(code) };
}

/**
 * The code that runs in every context before the function: its value is the function `open`. It is strict, so that no
 * stack trace and no `caller` hands its functions to the author's code.
 */
export async function bundlePrelude(): Promise<string> {
  const { text } = await build(PRELUDE, []);
  return `(function () {\n"use strict";\n${text}\nreturn __function.open;\n})();`;
}

/** The code that puts the real `Type` where a bundle after it finds it. */
export async function bundleType(): Promise<string> {
  const { text } = await build(TYPE, []);
  return `globalThis.__datarunType = (function () {\n"use strict";\n${text}\nreturn __function.Type;\n})();`;
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

async function build(file: string, plugins: Plugin[]): Promise<{ text: string; metafile: Metafile }> {
  // Loaded when the first file has to be bundled; with a warm cache that is never.
  const { build } = await import("esbuild");
  try {
    const result = await build({
      entryPoints: [file],
      absWorkingDir: dirname(file),
      bundle: true,
      write: false,
      metafile: true,
      format: "iife",
      globalName: "__function",
      platform: "neutral",
      mainFields: ["module", "main"],
      target: "es2024",
      charset: "utf8",
      legalComments: "none",
      logLevel: "silent",
      loader: { ...LOADERS },
      define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
      tsconfigRaw: {},
      plugins,
    });
    return { text: result.outputFiles[0]!.text, metafile: result.metafile };
  } catch (error) {
    const messages = (error as { errors?: readonly Message[] }).errors;
    if (messages === undefined) throw error;
    throw new FunctionLoadError(
      file,
      messages.map((message) => sentence(file, message)),
      error,
    );
  }
}

function sentence(file: string, { text, location }: Message): string {
  if (location === null) return text;
  const where = resolve(dirname(file), location.file);
  const place = where === file ? "" : `${relative(dirname(file), where)} `;
  return `${place}line ${location.line}: ${text}`;
}

/** What a function may import, checked while its file is bundled. */
function boundaries(root: string): Plugin {
  return {
    name: "boundaries",
    setup(build) {
      build.onResolve({ filter: /^datarun$/ }, () => ({ path: AUTHOR }));
      build.onResolve({ filter: /./ }, async (asked) => {
        const within = asked.pluginData as { readonly settled?: boolean } | undefined;
        if (within?.settled === true || asked.kind === "entry-point") return undefined;
        if (asked.path.startsWith("node:")) return refuse(asked.path);
        const { importer, kind, resolveDir } = asked;
        const found = await build.resolve(asked.path, { importer, kind, resolveDir, pluginData: { settled: true } });
        if (found.errors.length > 0) return isBuiltin(asked.path) ? refuse(asked.path) : { errors: found.errors };
        if (found.path !== "" && !mayBundle(root, found.path, importer))
          return { errors: [{ text: `"${asked.path}" lies outside of the project's folder` }] };
        return found;
      });
    },
  };
}

function refuse(path: string): { errors: { text: string }[] } {
  return {
    errors: [{ text: `"${path}" is a part of Node, and functions run without Node: their only way out is run()` }],
  };
}

/** A package's own files, and what the author's files import of the project. */
function mayBundle(root: string, path: string, importer: string): boolean {
  const packages = `${sep}node_modules${sep}`;
  if (path.includes(packages) || importer.includes(packages)) return true;
  return path === root || path.startsWith(root + sep);
}
