import { readdir, readFile, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePrelude, bundleType, hashOf, type BuiltBundle } from "./bundle.ts";
import { readKept, writeKept } from "./kept-text.ts";

/** What is kept of a loaded file: enough to run it without bundling or evaluating it again. */
export interface Prepared {
  readonly bundle: BuiltBundle;
  /** What the file declares, as JSON, read in an isolate. */
  readonly declarationJson: string;
}

export interface BundleCache {
  find(file: string, root: string): Promise<Prepared | null>;
  keep(file: string, root: string, prepared: Prepared): Promise<void>;
}

interface Kept extends Prepared {
  readonly stamps: readonly string[];
}

const NO_CACHE: BundleCache = {
  find: () => Promise.resolve(null),
  keep: () => Promise.resolve(),
};

/** Keeps prepared functions in a folder, so that a start needs neither bundler nor isolate. Without a folder: nothing. */
export function openBundleCache(folder: string | undefined): BundleCache {
  if (folder === undefined) return NO_CACHE;

  async function placeOf(file: string, root: string): Promise<string> {
    return join(folder!, `${hashOf(JSON.stringify([file, root, await versionOfTools()]))}.json`);
  }

  return {
    find: async (file, root) => {
      const text = await readKept(await placeOf(file, root));
      if (text === null) return null;
      try {
        const kept = JSON.parse(text) as Kept;
        const stamps = await stampAll(kept.bundle.files);
        return stamps.every((stamp, at) => stamp === kept.stamps[at]) ? kept : null;
      } catch {
        return null;
      }
    },
    keep: async (file, root, prepared) => {
      const kept: Kept = { ...prepared, stamps: await stampAll(prepared.bundle.files) };
      await writeKept(await placeOf(file, root), JSON.stringify(kept));
    },
  };
}

/** The prelude, out of the folder if its sources have not changed. */
export function preparePrelude(folder: string | undefined): Promise<string> {
  return prepareOwn(folder, "prelude", bundlePrelude);
}

/** The real `Type`, likewise. */
export function prepareType(folder: string | undefined): Promise<string> {
  return prepareOwn(folder, "type", bundleType);
}

async function prepareOwn(folder: string | undefined, name: string, bundle: () => Promise<string>): Promise<string> {
  if (folder === undefined) return bundle();
  const place = join(folder, `${name}-${await versionOfTools()}.js`);
  const kept = await readKept(place);
  if (kept !== null) return kept;
  const code = await bundle();
  await writeKept(place, code).catch(() => {});
  return code;
}

/** Files of a project by their content; those of packages, which are many and do not change in place, by size and time. */
function stampAll(files: readonly string[]): Promise<string[]> {
  return Promise.all(
    files.map(async (file) => {
      if (!file.includes(`${sep}node_modules${sep}`)) return hashOf(await readFile(file, "utf8"));
      const { size, mtimeMs } = await stat(file);
      return `${size} ${mtimeMs}`;
    }),
  );
}

let tools: Promise<string> | undefined;

/** Changes with the bundler and with every file that ends up in an isolate. */
function versionOfTools(): Promise<string> {
  tools ??= (async () => {
    const inside = fileURLToPath(new URL("./inside/", import.meta.url));
    const files = (await readdir(inside)).sort().map((name) => join(inside, name));
    const own = fileURLToPath(new URL("./bundle.ts", import.meta.url));
    const packages = await Promise.all(["esbuild", "typebox"].map((name) => readFile(manifestOf(name), "utf8")));
    return hashOf(JSON.stringify([...(await stampAll([...files, own])), ...packages]));
  })();
  return tools;
}

/** A package need not export its package.json. */
function manifestOf(name: string): string {
  const entry = fileURLToPath(import.meta.resolve(name));
  const folder = join("node_modules", name);
  return join(entry.slice(0, entry.lastIndexOf(folder) + folder.length), "package.json");
}
