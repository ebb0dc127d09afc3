import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { basename, dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LoadError } from "../terms/load-error.ts";

/**
 * Imports a file's default export. The file is imported again if it has changed, or for another `version`, which
 * `datarun dev` uses after a change in one of the file's imports.
 */
export async function importDefault(file: string, version?: string): Promise<unknown> {
  const url = pathToFileURL(file);
  try {
    if (version === undefined) url.searchParams.set("changed", String(statSync(file).mtimeMs));
    else url.searchParams.set("version", version);
    const module = (await import(url.href)) as { default?: unknown };
    return module.default;
  } catch (error) {
    const place = await placeOf(error, file);
    const elsewhere = place === null || place.file === file ? "" : `${relative(dirname(file), place.file)} `;
    const where = place === null ? "" : `${elsewhere}line ${place.line}: `;
    const message = error instanceof Error ? error.message : String(error);
    throw new LoadError(file, `${where}cannot be loaded: ${message}${isErased(error) ? ERASED : ""}`, error);
  }
}

/** Whether a file uses TypeScript syntax that is more than types. */
function isErased(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
}

const ERASED = " (types are only erased: write plain JavaScript instead of enum, namespace and parameter properties)";

interface FileLine {
  readonly file: string;
  readonly line: number;
}

/** The file and line of an error during an import; `null` if they are unknown. */
async function placeOf(error: unknown, file: string): Promise<FileLine | null> {
  if (!(error instanceof Error)) return null;
  // For errors in TypeScript syntax, the stack begins with the position, unless hooks have loaded the file.
  const head = POSITION.exec((isErased(error) ? await stripAgain(file) : error).stack ?? "");
  if (head !== null) return { file: head[1]!, line: Number(head[2]) };
  if (error instanceof SyntaxError) return parseAgain(file);
  const missing = /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/.exec(error.message);
  if (missing !== null) return findImport(missing[1]!, missing[2]!);
  const frames = [...(error.stack ?? "").matchAll(/(file:\/\/[^\s)?]+)(?:\?[^\s:)]*)?:(\d+):\d+/g)];
  const own = frames.find(([, url = ""]) => !url.startsWith(SERVICE) && !url.includes("/node_modules/"));
  return own === undefined ? null : { file: fileURLToPath(own[1]!), line: Number(own[2]) };
}

const POSITION = /^(\/.*|[A-Za-z]:\\.*):(\d+)\n/;

/** Erases the types of the file again, to get the error with its position. */
async function stripAgain(file: string): Promise<Error> {
  try {
    stripTypeScriptTypes(await readFile(file, "utf8"), { sourceUrl: file });
    return new Error("another file is meant");
  } catch (error) {
    return error as Error;
  }
}

/** The service's own files, whose loader is part of every stack. */
const SERVICE = new URL("..", import.meta.url).href;

/** The line with a failed import. Only the last part of the path is certain to be as the author wrote it. */
async function findImport(missing: string, importer: string): Promise<FileLine | null> {
  const lines = (await readFile(importer, "utf8").catch(() => "")).split("\n");
  const at = lines.findIndex((line) => /\b(from|import)\b/.test(line) && line.includes(basename(missing)));
  return at < 0 ? null : { file: importer, line: at + 1 };
}

/** Parses the file again, because the engine does not report the line of a syntax error in plain JavaScript. */
async function parseAgain(file: string): Promise<FileLine | null> {
  const { transform } = await import("esbuild");
  try {
    await transform(await readFile(file, "utf8"), { loader: "ts", logLevel: "silent" });
    return null;
  } catch (error) {
    const [first] = (error as { errors?: readonly { location: { line: number } | null }[] }).errors ?? [];
    return first?.location === null || first === undefined ? null : { file, line: first.location.line };
  }
}
