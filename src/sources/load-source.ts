import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, relative, sep } from "node:path";
import type { RunnableSource } from "../run/ports.ts";
import type { SourceCase, SourceDeclaration } from "../sdk/source.ts";
import { type Json, type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import { firstJsonError } from "../terms/json/first-json-error.ts";
import { schemaProblem } from "./schema-language.ts";
import { declarationProblem, unknownKeyWithin } from "./check-declaration.ts";
import { compileDocument, compileKnown } from "./declarative/compile-document.ts";
import { casesProblem } from "./declarative/format/check-format.ts";
import { LoadError } from "../terms/load-error.ts";
import { importDefault } from "./import-default.ts";
import { readModuleFiles } from "./module-files.ts";
import { toRunnable } from "./runnable.ts";
import { digestOf, type VersionTexts } from "../terms/version.ts";
import type { Schemas } from "../terms/schema/author-schemas.ts";
import type { KnownDocuments } from "./ports.ts";

export interface LoadOptions {
  readonly schemas: Schemas;
  /**
   * "now" for a project, so that an invalid schema prevents the start. "first use" for the catalog, whose tests compile
   * its schemas. A known document is always compiled at its first use.
   */
  readonly compile: "now" | "first use";
  /** The folder of the project or catalog, from which the paths of its files are counted. */
  readonly root?: string | undefined;
  /** Code that was loaded with another version is loaded again. */
  readonly version?: string | undefined;
  /** Without it, every file is read and compiled. */
  readonly known?: KnownDocuments | undefined;
}

export interface SourceFile {
  readonly source: RunnableSource;
  /** The texts of its version. */
  readonly texts: () => Promise<VersionTexts>;
}

/** Loads one source file. @throws LoadError */
export async function loadSource(file: string, options: LoadOptions): Promise<SourceFile> {
  const isCode = !/\.ya?ml$/.test(file);
  const { exported, compile, version, texts, learn }: Read = isCode
    ? await readModule(file, options)
    : await readDeclarative(file, options);
  const problem = declarationProblem(exported);
  if (problem !== null) throw new LoadError(file, problem);
  if (isCode) checkParts(exported as SourceDeclaration, file, options.compile);
  const declaration = withCasesBeside(exported as SourceDeclaration, file, options.compile);
  try {
    const source = toRunnable(declaration, options.schemas, compile, version);
    learn?.();
    return { source, texts };
  } catch (error) {
    throw new LoadError(file, `a schema cannot be compiled: ${(error as Error).message}`, error);
  }
}

interface Read {
  readonly exported: unknown;
  readonly compile: LoadOptions["compile"];
  readonly version: string;
  readonly texts: SourceFile["texts"];
  /** Stores the document as known. Called after its schemas were found correct, too. */
  readonly learn?: (() => void) | undefined;
}

/** Its code may have been imported before it is read. In `datarun dev`, a file that changes meanwhile is loaded again. */
async function readModule(file: string, { version, compile, root = dirname(file) }: LoadOptions): Promise<Read> {
  const exported = await importDefault(file, version);
  const module = await readModuleFiles(file, root);
  const content = JSON.stringify(module);
  const texts = () => Promise.resolve({ content, source: module.files });
  return { exported, compile, version: digestOf(content), texts };
}

async function readDeclarative(
  file: string,
  { known, compile, root: folder = dirname(file) }: LoadOptions,
): Promise<Read> {
  try {
    const text = await readFile(file, "utf8");
    const source = { [relative(folder, file).replaceAll(sep, "/")]: text };
    const textsOf = (document: Json) => () => Promise.resolve({ content: documentContent(document), source });
    const found = known?.find(text);
    if (found !== undefined) {
      const { document, version } = found;
      return { exported: compileKnown(document), compile: "first use", version, texts: textsOf(document) };
    }
    const { readDocument } = await import("./declarative/format/read-document.ts");
    const { value, root } = readDocument(text, file);
    const exported = compileDocument(value, root);
    const version = digestOf(documentContent(value));
    const learn = () => known?.learn(text, { document: value, version });
    return { exported, compile, version, texts: textsOf(value), learn };
  } catch (error) {
    const { message } = error as Error;
    throw new LoadError(file, message.startsWith(`${file}:`) ? message.slice(file.length + 1) : message, error);
  }
}

/** The content of a version of a declarative source. Its cases are no part: they change no call. */
export function documentContent(document: Json): string {
  const { cases: _, ...rest } = document as JsonObject;
  return JSON.stringify(rest);
}

/** Checks parts that the format of YAML files has already checked in those. @throws LoadError */
function checkParts(declaration: SourceDeclaration, file: string, compile: LoadOptions["compile"]): void {
  const problem = unknownKeyWithin(declaration);
  if (problem !== null) throw new LoadError(file, problem);
  if (compile === "first use") return;
  for (const name of ["inputs", "credentials", "output"] as const) {
    const schema = declaration[name];
    const wrong = schema === undefined ? null : schemaProblem(schema);
    if (wrong === null) continue;
    const at = `/${wrong.path.join("/")}`;
    const problem = wrong.isPattern
      ? `${name}${at}: ${wrong.message}`
      : `${name} is not a valid JSON Schema: ${at} ${wrong.message}`;
    throw new LoadError(file, problem);
  }
  if (declaration.cases === undefined) return;
  const wrong = casesProblem(readJsonExactly(JSON.stringify(declaration.cases)));
  if (wrong !== null) throw new LoadError(file, `its cases cannot be used: ${wrong}`);
}

/**
 * Adds the cases of `<name>.cases.json` beside the file. They are read on first use; in a project they are also read at
 * the start, so that their mistakes are reported together with others.
 */
function withCasesBeside(
  declaration: SourceDeclaration,
  file: string,
  compile: LoadOptions["compile"],
): SourceDeclaration {
  const casesFile = file.replace(/\.\w+$/, ".cases.json");
  if (declaration.cases !== undefined || !existsSync(casesFile)) return declaration;
  if (compile === "now") readCases(file, casesFile);
  let cases: readonly SourceCase[] | undefined;
  return Object.defineProperty({ ...declaration }, "cases", {
    enumerable: true,
    get() {
      cases ??= readCases(file, casesFile);
      return cases;
    },
  });
}

/** @throws LoadError for the source's file, because that is the file that cannot be used */
function readCases(file: string, casesFile: string): readonly SourceCase[] {
  const refuse = (problem: string, cause?: unknown) => {
    throw new LoadError(file, `its cases in ${basename(casesFile)} cannot be used: ${problem}`, cause);
  };
  const text = readFileSync(casesFile, "utf8");
  let cases: Json;
  try {
    cases = readJsonExactly(text);
  } catch (error) {
    const place = firstJsonError(text);
    return refuse(place === null ? (error as Error).message : `it is not valid JSON at ${place}`, error);
  }
  const problem = casesProblem(cases);
  return problem === null ? (cases as unknown as readonly SourceCase[]) : refuse(problem);
}
