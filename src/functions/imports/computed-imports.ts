import { readdir } from "node:fs/promises";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, extname, join } from "node:path";
import type { TransformOptions, TransformResult } from "esbuild";
import type { Gathering } from "./evidence.ts";
import { EXTENSIONS, isWithin, type Scope } from "./import-scope.ts";

export type Transform = (text: string, options: TransformOptions) => Promise<TransformResult>;

/** An import whose path is computed at run time. */
export class ComputedImport extends Error {
  override readonly name = "ComputedImport";
  readonly line: number;

  constructor(line: number) {
    super("the path of this import is computed at run time: write out each path");
    this.line = line;
  }
}

/**
 * Code without a match has no computed import. `\u` is included because names can be written with escapes. `<!--` and
 * `-->` are included because HTML-like comments may follow `import`.
 */
const MAY_HAVE = /\bimport\b\s*(?:[.(]|\/[*/]|<!--|-->)|require|\\u/;
/**
 * Matches code as esbuild prints it: an import whose path begins with a text that may make it relative, followed by an
 * expression.
 */
const COMPUTED =
  /(?<![\w$])(?<!(?<!\.\.)\.)(import(?:\.defer|\.source)?|require)(?:\?\.)?\((?:"(?=[.\\"])(?:[^"\\]|\\.)*"\+|'(?=[.\\'])(?:[^'\\]|\\.)*'\+|`(?=[.\\$`])(?:[^`\\$]|\\.|\$(?!\{))*(?:\$\{|`\+))/gs;
/** Longer than the path of any file. */
const PATH_CHARACTERS = 4_200;
/** The same, if only a part of one file name is computed: `require("./langs/" + name + ".json")`. */
const ONE_NAME =
  /^(?:import|require)\((?:"(\.\/[^"\\]*\/|\.\/)[^"\\/]*"\+|`(\.\/[^`\\$]*\/|\.\/)[^`\\$/]*\$\{)[A-Za-z_]/;

/**
 * Returns a file's code without computed imports, such as import(`./rules/${name}.ts`). The bundler must never see one:
 * it treats such a path as a pattern and searches all folders of the disk for matching files, before it calls our
 * plugin. In a package, the import is replaced by a `switch` over the possible files, if they all lie in one folder of
 * the package. @throws ComputedImport for all others, and for those in the project's own files
 */
export async function spellOutImports(
  text: string,
  options: TransformOptions,
  transform: Transform,
  { file, scope }: { readonly file: string; readonly scope: Scope },
  gathering: Gathering,
): Promise<string> {
  if (!MAY_HAVE.test(text)) return text;
  // As esbuild prints it, all that JavaScript allows within the expression (comments, escapes, conditions, constants)
  // has one form.
  const { code, map } = await transform(text, {
    ...options,
    format: "cjs",
    minifyWhitespace: true,
    sourcemap: "external",
    sourcefile: "it",
    sourcesContent: false,
  });
  const computed = [...code.matchAll(COMPUTED)];
  if (computed.length === 0) return text;
  const choices = new Map<string, string>();
  const pieces: string[] = [];
  let done = 0;
  for (const { index, 1: callee = "" } of computed) {
    const [, ...folders] = ONE_NAME.exec(code.slice(index, index + PATH_CHARACTERS)) ?? [];
    const folder = scope.isPackage ? folders.find(Boolean) : undefined;
    if (folder === undefined) throw new ComputedImport(lineAt(code, index, map));
    const choice = choices.get(`${callee} ${folder}`) ?? `__chosen${choices.size}`;
    choices.set(`${callee} ${folder}`, choice);
    pieces.push(code.slice(done, index), choice);
    done = index + callee.length;
  }
  pieces.push(code.slice(done));
  for (const [key, choice] of choices) {
    const callee = key.slice(0, key.indexOf(" "));
    const folder = key.slice(key.indexOf(" ") + 1);
    const names = await namesIn(folder);
    if (names === null) throw new ComputedImport(lineAt(code, computed[0]!.index, map));
    const cases = names.map((name) => caseOf(callee, name)).join("");
    pieces.push(`\nfunction ${choice}(path){switch(path){${cases}}throw new Error("Cannot find "+path)}`);
  }
  const spelled = pieces.join("");
  if (spelled.search(COMPUTED) !== -1) throw new ComputedImport(1);
  return spelled;

  async function namesIn(folder: string): Promise<string[] | null> {
    const { kind, real } = await gathering.lookUp(join(dirname(file), folder));
    if (kind !== "folder" || !isWithin(scope.folder, real)) return null;
    const entries = await readdir(real, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && EXTENSIONS.includes(extname(entry.name)) && !entry.name.startsWith("."))
      .map((entry) => folder + entry.name)
      .sort();
  }
}

function caseOf(callee: string, path: string): string {
  const bare = path.slice(0, -extname(path).length);
  return `case ${JSON.stringify(path)}:case ${JSON.stringify(bare)}:return ${callee}(${JSON.stringify(path)});`;
}

function lineAt(code: string, index: number, map: string): number {
  const before = code.slice(0, index).split("\n");
  const entry = new SourceMap(JSON.parse(map) as SourceMapPayload).findEntry(before.length - 1, before.at(-1)!.length);
  return "originalLine" in entry ? entry.originalLine + 1 : 1;
}
