import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestLife } from "../vendor/scripted-vendor.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKED_FROM =
  "bin src catalog console tools docs deploy packages package.json tsconfig.json openapi.json openapi-admin.json changes README.md CHANGELOG.md CONTRIBUTING.md NOTICE".split(
    " ",
  );

/** The machine's own programs, as a stranger's shell finds them: not those of the checkout, with its Node. */
export const MACHINE_PATH = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

/** What `npm pack` makes of this checkout. It packs a copy, because package.json is another one while npm packs. */
export function packTarball(t: TestLife): string {
  const folder = temporary(t, "datarun-pack-");
  for (const name of PACKED_FROM) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, "build-info.json"), JSON.stringify({ git_sha: GIT_SHA }));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json"], { cwd: folder, env, encoding: "utf8", stdio: QUIET }),
  ) as { filename: string }[];
  return join(folder, packed!.filename);
}

/** The commit that the tarball is said to be of. */
export const GIT_SHA = "0123456789abcdef0123456789abcdef01234567";
const QUIET: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];

/** An empty folder in which a stranger has installed the tarball with the machine's own Node. Everybody may read it. */
export function installPackage(t: TestLife, tarball: string, options: readonly string[] = []): string {
  const folder = temporary(t, "datarun-installed-");
  chmodSync(folder, 0o755);
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", ...options, tarball];
  execFileSync("npm", args, { cwd: folder, env: { ...process.env, PATH: MACHINE_PATH }, stdio: QUIET });
  return folder;
}

/** Closes what was installed to everybody but root, who is never refused. */
export function closeInstalled(folder: string): void {
  execFileSync("chmod", ["-R", "a-w", join(folder, "node_modules")]);
}

/** Checks the types of a stranger's project as strictly as can be, those of the package included. */
export function checkTypes(folder: string, moduleResolution: "nodenext" | "bundler"): { code: number; said: string } {
  const compilerOptions = {
    strict: true,
    // The declarations are the same for both, and take longest.
    skipLibCheck: moduleResolution === "bundler",
    noEmit: true,
    module: moduleResolution === "nodenext" ? "nodenext" : "esnext",
    moduleResolution,
    target: "es2024",
    lib: ["es2024"],
    allowImportingTsExtensions: true,
  };
  const config = `tsconfig.${moduleResolution}.json`;
  writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, include: ["sources", "functions", "*.ts"] }));
  try {
    execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", config], { cwd: folder, encoding: "utf8" });
    return { code: 0, said: "" };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, said: stdout };
  }
}

function temporary(t: TestLife, prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  t.after(() => {
    // A test may have made it read-only, and then only root could remove it.
    execFileSync("chmod", ["-R", "u+w", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The paths in a tarball, without the folder that npm puts around them, sorted. */
export function listTarball(tarball: string): string[] {
  const lines = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  for (const line of lines) assert.match(line, /^package\//);
  return lines.map((line) => line.slice("package/".length)).sort();
}

/** One file of a tarball, as text. */
export function readFromTarball(tarball: string, path: string): string {
  return execFileSync("tar", ["-xzOf", tarball, `package/${path}`], { encoding: "utf8" });
}

export function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
