import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export const COMPILERS = {
  "TypeScript 5.9": join(ROOT, "client-generators/node_modules/typescript/bin/tsc"),
  "TypeScript 7": join(ROOT, "node_modules/typescript/bin/tsc"),
} as const;

const STRICT = {
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: "es2024",
  lib: ["es2024"],
  module: "esnext",
  moduleResolution: "bundler",
  types: [],
};

/** What a compiler says of files, each as `name(line): message`, in the order of the text. */
export async function checkTypeScript(
  compiler: keyof typeof COMPILERS,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const config = JSON.stringify({ compilerOptions: STRICT });
  return inFolder({ ...files, "tsconfig.json": config }, (folder) => compile(compiler, folder));
}

/** The same of a project folder, with its own configuration. */
export async function compile(compiler: keyof typeof COMPILERS, folder: string): Promise<readonly string[]> {
  const output = await outputOf([COMPILERS[compiler], "-p", ".", "--pretty", "false"], folder);
  const errors = output.split("\n").filter((line) => /^\S.*error TS/.test(line));
  return errors.map((line) => line.replace(/\((\d+),\d+\): error TS\d+: /, "($1): "));
}

interface PyrightReport {
  readonly generalDiagnostics: readonly {
    readonly file: string;
    readonly severity: string;
    readonly message: string;
    readonly range: { readonly start: { readonly line: number } };
  }[];
}

/** What pyright says of files in its strict mode for Python 3.9, each as `name(line): message`. */
export async function checkPython(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const config = JSON.stringify({
    typeCheckingMode: "strict",
    pythonVersion: "3.9",
    pythonPlatform: "Linux",
    // An empty list where any value may be has entries of an unknown type.
    reportUnknownVariableType: false,
  });
  return inFolder({ ...files, "pyrightconfig.json": config }, async (folder) => {
    const pyright = join(dirname(createRequire(import.meta.url).resolve("pyright/package.json")), "index.js");
    const output = await outputOf([pyright, "--outputjson", "-p", "."], folder);
    const { generalDiagnostics } = JSON.parse(output) as PyrightReport;
    return generalDiagnostics.map(
      ({ file, range, message }) =>
        `${file.slice(folder.length + 1)}(${range.start.line + 1}): ${message.split("\n")[0]!}`,
    );
  });
}

/** The head of a file with emitted types. */
export function pythonHead(imports: readonly string[]): string {
  return `from __future__ import annotations\nfrom typing import ${imports.join(", ")}\n`;
}

/** A value as an expression. */
export function toTypeScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('"__proto__":', '["__proto__"]:')
    .replaceAll("\u2028", String.raw`\u2028`);
}

export function toPython(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${toPython(member)}`)
    .join(", ")}}`;
}

async function inFolder<Result>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "datarun-emitted-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checkers exit with 1 or 2 if they find something. */
function outputOf(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error !== null && stdout === "") reject(new Error(stderr || error.message, { cause: error }));
      else resolve(stdout);
    });
  });
}
