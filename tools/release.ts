import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { releaseNotes } from "./release/release-notes.ts";

// Makes a release of a clean checkout: `npm run release -- 0.2.0 [--to FOLDER]`. Whatever fails, the checkout is as before.

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const CHANGELOG = join(CHECKOUT, "CHANGELOG.md");
/** Files that name the version of the package. */
const NAMES_THE_VERSION = [
  "deploy/kubernetes/kustomization.yaml",
  "deploy/kubernetes/backup/kustomization.yaml",
  "docs/guides/deploy-as-package.md",
  "docs/guides/deploy-with-systemd.md",
];
/** What the next version is tested beside. */
const PREVIOUS_RELEASE = join(CHECKOUT, "test/lifecycle/previous-release.tgz");

class Refused extends Error {}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: CHECKOUT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

/** @returns the old version, and the files of `changes/` */
function assertReady(version: string | undefined): { old: string; fragments: { file: string; text: string }[] } {
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version))
    throw new Refused("Give the version of the release, such as 0.2.0.");
  if (run("git", "status", "--porcelain") !== "") throw new Refused("The checkout has changes. Commit them first.");
  if (run("git", "tag", "--list", `v${version}`) !== "") throw new Refused(`There is a release ${version} already.`);
  const old = (JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { readonly version: string })
    .version;
  if (isOlder(version, old)) throw new Refused(`${version} is older than ${old}, the version of the checkout.`);
  const files = globSync("changes/*.md", { cwd: CHECKOUT }).filter((file) => !file.endsWith("README.md"));
  if (files.length === 0) throw new Refused("Nothing has changed since the last release: changes/ has no file.");
  return { old, fragments: files.sort().map((file) => ({ file, text: readFileSync(join(CHECKOUT, file), "utf8") })) };
}

function writeVersion(old: string, version: string): void {
  run("npm", "version", version, "--no-git-tag-version", "--allow-same-version", "--workspaces-update=false");
  for (const file of NAMES_THE_VERSION) {
    const path = join(CHECKOUT, file);
    const text = readFileSync(path, "utf8");
    if (!text.includes(old)) throw new Refused(`${file} no longer names the version ${old}.`);
    writeFileSync(path, text.replaceAll(old, version));
  }
}

function writeChangelog(version: string, notes: string): void {
  const text = readFileSync(CHANGELOG, "utf8");
  const day = new Date().toISOString().slice(0, 10);
  const at = text.search(/^## /m);
  const [head, rest] = at === -1 ? [`${text.trimEnd()}\n\n`, ""] : [text.slice(0, at), `\n${text.slice(at)}`];
  writeFileSync(CHANGELOG, `${head}## ${version} (${day})\n\n${notes}${rest}`);
}

/** @returns where the tarball is */
function release(version: string | undefined, to: string): string {
  const { old, fragments } = assertReady(version);
  const notes = releaseNotes(fragments);
  const before = run("git", "rev-parse", "HEAD");
  try {
    writeVersion(old, version!);
    writeChangelog(version!, notes);
    for (const { file } of fragments) rmSync(join(CHECKOUT, file));
    run("git", "add", "--all");
    run("git", "commit", "--quiet", "--message", `release: ${version}`);
    // Before the package is made, because the package says of which tag it is.
    run(
      "git",
      "tag",
      "--annotate",
      `v${version}`,
      "--cleanup",
      "whitespace",
      "--message",
      `datarun ${version}\n\n${notes}`,
    );
    const [packed] = JSON.parse(run("npm", "pack", "--json")) as { readonly filename: string }[];
    const tarball = join(CHECKOUT, packed!.filename);
    copyFileSync(tarball, PREVIOUS_RELEASE);
    run("git", "add", PREVIOUS_RELEASE);
    run("git", "commit", "--quiet", "--message", `test: the next version is tested beside ${version}`);
    const target = join(to, packed!.filename);
    renameSync(tarball, target);
    return target;
  } catch (error) {
    run("git", "reset", "--quiet", "--hard", before);
    if (run("git", "tag", "--list", `v${version}`) !== "") run("git", "tag", "--delete", `v${version}`);
    throw error;
  }
}

const { values, positionals } = parseArgs({
  options: { to: { type: "string", default: CHECKOUT } },
  allowPositionals: true,
});
try {
  const tarball = release(positionals[0], resolve(values.to));
  process.stdout.write(`${tarball}\nPublish the commits and the tag with: git push --follow-tags\n`);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
