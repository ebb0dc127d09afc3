import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Deployment } from "./http/routes/status.ts";

const run = promisify(execFile);
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
    return /^[0-9a-f]{40}$/.test(gitSha) ? { gitSha, gitDerivedVersion } : undefined;
  } catch {
    return undefined;
  }
}

function fromBuildInfo(root: string): Deployment | undefined {
  const file = join(root, "build-info.json");
  if (!existsSync(file)) return undefined;
  const info = JSON.parse(readFileSync(file, "utf8")) as { git_sha?: string; git_derived_version?: string };
  return {
    gitSha: info.git_sha ?? "unknown",
    gitDerivedVersion: info.git_derived_version ?? "unknown",
  };
}

/** Where git itself is missing, or refuses a checkout that belongs to another user. */
function fromGitFolder(root: string): Deployment | undefined {
  try {
    const head = readFileSync(join(root, ".git/HEAD"), "utf8").trim();
    const sha = head.startsWith("ref: ") ? readFileSync(join(root, ".git", head.slice(5)), "utf8").trim() : head;
    return /^[0-9a-f]{40}$/.test(sha) ? { gitSha: sha, gitDerivedVersion: sha.slice(0, 7) } : undefined;
  } catch {
    return undefined;
  }
}
