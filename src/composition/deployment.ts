import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Deployment } from "../http/route.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json.ts";

const run = promisify(execFile);
const SHA = /^[0-9a-f]{40}$/;
const UNKNOWN: Deployment = { gitSha: "unknown", gitDerivedVersion: "unknown" };

/** What is deployed: from the checkout; else from `build-info.json`, which a build writes; else unknown. Never throws. */
export async function readDeployment(root: string): Promise<Deployment> {
  return (await fromCheckout(root)) ?? fromBuildInfo(root) ?? fromGitFolder(root) ?? UNKNOWN;
}

async function fromCheckout(root: string): Promise<Deployment | undefined> {
  // Only a checkout of its own: an unpacked copy inside some other repository is not that repository's commit.
  if (!existsSync(join(root, ".git"))) return undefined;
  const git = (...args: string[]) =>
    run("git", ["-C", root, ...args], { timeout: 2000 }).then(({ stdout }) => stdout.trim());
  try {
    const [gitSha, gitDerivedVersion] = await Promise.all([
      git("rev-parse", "HEAD"),
      git("describe", "--tags", "--always", "--dirty"),
    ]);
    return SHA.test(gitSha) ? { gitSha, gitDerivedVersion } : undefined;
  } catch {
    return undefined;
  }
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

/** Where git itself is missing, or refuses a checkout that belongs to another user. */
function fromGitFolder(root: string): Deployment | undefined {
  try {
    const head = readFileSync(join(root, ".git/HEAD"), "utf8").trim();
    const sha = head.startsWith("ref: ") ? shaOf(root, head.slice(5)) : head;
    return sha !== undefined && SHA.test(sha) ? { gitSha: sha, gitDerivedVersion: sha.slice(0, 7) } : undefined;
  } catch {
    return undefined;
  }
}

/** A reference has a file of its own, or a line among the packed ones. */
function shaOf(root: string, reference: string): string | undefined {
  const file = join(root, ".git", reference);
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const packed = readFileSync(join(root, ".git/packed-refs"), "utf8").split("\n");
  return packed.find((line) => line.endsWith(` ${reference}`))?.split(" ")[0];
}
