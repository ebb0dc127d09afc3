import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import { PATH_CHARACTERS_MAX, readRegularFile } from "./regular-file.ts";

/** Limit for one file that is read for a bundle. */
const FILE_BYTES_MAX = 16 * 1_048_576;
/** Limit for all files that are read for a bundle. */
const READ_BYTES_MAX = 64 * 1_048_576;

/** The result of a look-up: the kind of file at a path, and its real path. */
export interface PathLookup {
  readonly kind: "file" | "folder" | "other" | "nothing";
  readonly real: string;
}

type Stamped = readonly [path: string, stamp: string];

/**
 * Everything that a bundle depends on: the files read, and the paths looked up, found or not. The bundle is valid while
 * none of them has changed.
 */
export interface Evidence {
  readonly files: readonly Stamped[];
  readonly lookups: readonly Stamped[];
}

/** Looks up paths and reads files for one bundle, and records both. */
export interface Gathering {
  lookUp(path: string): Promise<PathLookup>;
  /** @throws RangeError if the path is not a regular file, or the file is too large */
  read(path: string): Promise<Buffer>;
  evidence(): Promise<Evidence>;
}

const NOT_FOUND: PathLookup = { kind: "nothing", real: "" };

export function gatherEvidence(): Gathering {
  const files = new Map<string, Promise<string>>();
  const lookups = new Map<string, Promise<PathLookup>>();
  let bytesRead = 0;

  return {
    lookUp: (path) => {
      if (path.length > PATH_CHARACTERS_MAX) return Promise.resolve(NOT_FOUND);
      const lookup = lookups.get(path) ?? statPath(path);
      lookups.set(path, lookup);
      return lookup;
    },
    read: async (path) => {
      const bytes = await readRegularFile(path, FILE_BYTES_MAX);
      bytesRead += bytes.length;
      if (bytesRead > READ_BYTES_MAX)
        throw new RangeError(`makes all imports together larger than ${READ_BYTES_MAX / 1_048_576} MiB`);
      files.set(path, isOfPackage(path) ? stampAt(path) : Promise.resolve(stampOf(bytes)));
      return bytes;
    },
    evidence: async () => ({
      files: await Promise.all([...files].map(async ([path, stamp]) => [path, await stamp] as const)),
      // Files of a package do not change in place, so the files that were read are enough.
      lookups: await Promise.all(
        [...lookups]
          .filter(([path]) => !isInPackage(path))
          .map(async ([path, lookup]) => [path, textOf(await lookup)] as const),
      ),
    }),
  };
}

/** Whether bundling now would read the same files. */
export async function isUnchanged({ files, lookups }: Evidence): Promise<boolean> {
  const same = await Promise.all([
    ...files.map(async ([path, stamp]) => (await stampAt(path)) === stamp),
    ...lookups.map(async ([path, lookup]) => textOf(await statPath(path)) === lookup),
  ]);
  return same.every(Boolean);
}

/** The texts of the files that are no package's, by their paths from a root; without those that have changed since. */
export async function readOwnFiles({ files }: Evidence, root: string): Promise<Readonly<Record<string, string>>> {
  const top = await realpath(root);
  const own = files.filter(([path]) => !isOfPackage(path)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = await Promise.all(
    own.map(async ([path, stamp]) => {
      const bytes = await readRegularFile(path, FILE_BYTES_MAX).catch(() => null);
      if (bytes === null || stampOf(bytes) !== stamp) return [];
      return [[relative(top, path).replaceAll(sep, "/"), bytes.toString()] as const];
    }),
  );
  return Object.fromEntries(texts.flat());
}

async function statPath(path: string): Promise<PathLookup> {
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    return { kind: facts.isFile() ? "file" : facts.isDirectory() ? "folder" : "other", real };
  } catch {
    return NOT_FOUND;
  }
}

function textOf({ kind, real }: PathLookup): string {
  return `${kind} ${real}`;
}

/**
 * A stamp that changes with the file. For a project's file it is a hash of the content. For the many files of packages,
 * which do not change in place, it is made of size and times.
 */
async function stampAt(path: string): Promise<string> {
  if (!isOfPackage(path)) return stampOf(await readRegularFile(path, FILE_BYTES_MAX));
  const { size, mtimeMs, ctimeMs } = await stat(path);
  return `${size} ${mtimeMs} ${ctimeMs}`;
}

function stampOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function isOfPackage(path: string): boolean {
  return path.includes(`${sep}node_modules${sep}`);
}

/** True for paths inside a package, but not for `node_modules/name` itself, which can appear and disappear. */
function isInPackage(path: string): boolean {
  const [, inside = ""] = path.split(/[\\/]node_modules[\\/](?!.*[\\/]node_modules[\\/])/);
  return inside.split(sep).length > (inside.startsWith("@") ? 2 : 1);
}
