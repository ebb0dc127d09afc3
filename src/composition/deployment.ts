import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { inflateSync } from "node:zlib";
import type { Deployment } from "../http/route.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";

const SHA = /^[0-9a-f]{40}$/;
/** The version of a deployment whose version is not known. */
export const UNKNOWN_VERSION = "unknown";
const UNKNOWN: Deployment = { gitSha: "unknown", gitDerivedVersion: UNKNOWN_VERSION };

/**
 * The deployed version: from the checkout, from `build-info.json` of a build, or unknown. Never throws. Reads git's
 * files instead of running git, because a start waits for it and starting a process is much slower. The version of a
 * checkout is therefore the tag or the first characters of its commit, and does not show changed files.
 */
export function readDeployment(root: string): Deployment {
  return fromCheckout(root) ?? fromBuildInfo(root) ?? UNKNOWN;
}

/** For people: the version of the package and that of the deployment, such as `0.1.0 (374ebaf)`. */
export function readVersion(root: string, installedAt: string): string {
  const { version } = JSON.parse(readText(installedAt, "package.json")) as { readonly version: string };
  return `${version} (${readDeployment(root).gitDerivedVersion})`;
}

/**
 * Reads git only if this folder is itself a checkout: a copy unpacked inside another repository must not show that
 * repository's commit.
 */
function fromCheckout(root: string): Deployment | undefined {
  try {
    const own = gitFolder(root);
    const shared = sharedFolder(own);
    const head = readText(own, "HEAD");
    const gitSha = head.startsWith("ref: ") ? commitOf(shared, head.slice(5)) : head;
    if (gitSha === undefined || !SHA.test(gitSha)) return undefined;
    return { gitSha, gitDerivedVersion: tagOf(shared, gitSha) ?? gitSha.slice(0, 7) };
  } catch {
    return undefined;
  }
}

/** In an additional worktree, `.git` is a file with the path of the folder. */
function gitFolder(root: string): string {
  const place = join(root, ".git");
  return statSync(place).isDirectory() ? place : resolve(root, readText(root, ".git").replace("gitdir: ", ""));
}

/** The folder of the references, which all worktrees share. */
function sharedFolder(folder: string): string {
  return existsSync(join(folder, "commondir")) ? resolve(folder, readText(folder, "commondir")) : folder;
}

/** A reference is either a file of its own or a line in the file of packed references. */
function commitOf(folder: string, reference: string): string | undefined {
  if (existsSync(join(folder, reference))) return readText(folder, reference);
  return packedReferences(folder).find(({ name }) => name === reference)?.commit;
}

/** The tag of a commit; of several the one that sorts last, with numbers compared by value. */
function tagOf(folder: string, commit: string): string | undefined {
  const loose = globSync("**", { cwd: join(folder, "refs/tags"), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((name) => ({ name, commit: peeled(folder, readText(folder, name)) }));
  return [...packedReferences(folder), ...loose]
    .filter((reference) => reference.commit === commit && reference.name.startsWith("refs/tags/"))
    .map(({ name }) => name.slice("refs/tags/".length))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .at(-1);
}

interface GitReference {
  readonly name: string;
  readonly commit: string;
}

function packedReferences(folder: string): GitReference[] {
  if (!existsSync(join(folder, "packed-refs"))) return [];
  const text = readText(folder, "packed-refs");
  // The commit of an annotated tag is on the line after it.
  const lines = text.matchAll(/^([0-9a-f]{40}) (\S+)(?:\n\^([0-9a-f]{40}))?$/gm);
  return [...lines].map(([, own, name, commit]) => ({ name: name!, commit: commit ?? own! }));
}

/** An annotated tag is an object of its own, which contains the commit. */
function peeled(folder: string, sha: string): string {
  const place = join(folder, "objects", sha.slice(0, 2), sha.slice(2));
  if (!existsSync(place)) return sha;
  return /^tag \d+\0object ([0-9a-f]{40})/.exec(inflateSync(readFileSync(place)).toString("latin1"))?.[1] ?? sha;
}

function readText(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8").trim();
}

function fromBuildInfo(root: string): Deployment | undefined {
  try {
    const info: unknown = JSON.parse(readFileSync(join(root, "build-info.json"), "utf8"));
    if (!isJsonObject(info as Json)) return undefined;
    const { git_sha: gitSha, git_derived_version: version } = info as JsonObject;
    if (typeof gitSha !== "string" || !SHA.test(gitSha)) return undefined;
    return { gitSha, gitDerivedVersion: typeof version === "string" && version !== "" ? version : gitSha.slice(0, 7) };
  } catch {
    return undefined;
  }
}
