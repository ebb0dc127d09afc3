import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { hasChanges } from "../../tools/package/has-changes.ts";
import { readDeployment, readVersion } from "./deployment.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";
const UNKNOWN = { gitSha: "unknown", gitDerivedVersion: "unknown" };

function folder(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "datarun-deployment-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

test("the version that a build has written is the deployed one, and a broken file is treated as missing", (t) => {
  const read = (text: string) => readDeployment(folder(t, { "build-info.json": text }));
  const info = { git_sha: SHA, git_derived_version: "v1.2.3" };
  assert.deepEqual(read(JSON.stringify(info)), { gitSha: SHA, gitDerivedVersion: "v1.2.3" });
  for (const version of [7, "", null, undefined]) {
    assert.equal(read(JSON.stringify({ ...info, git_derived_version: version })).gitDerivedVersion, "0123456");
  }
  for (const text of ["", "{", "null", "[]", '"x"', "{}", '{"git_sha":"main","git_derived_version":"v1"}']) {
    assert.deepEqual(read(text), UNKNOWN, text);
  }
});

test("the commit of a checkout is read from git's files, packed references too", (t) => {
  const head = { ".git/HEAD": "ref: refs/heads/main\n" };
  const expected = { gitSha: SHA, gitDerivedVersion: "0123456" };
  assert.deepEqual(readDeployment(folder(t, { ...head, ".git/refs/heads/main": `${SHA}\n` })), expected);
  const packed = `# pack-refs with: peeled\n${"f".repeat(40)} refs/heads/mainline\n${SHA} refs/heads/main\n`;
  assert.deepEqual(readDeployment(folder(t, { ...head, ".git/packed-refs": packed })), expected);
  assert.deepEqual(readDeployment(folder(t, head)), UNKNOWN);
  assert.deepEqual(readDeployment(folder(t, { ".git": "gitdir: /nowhere" })), UNKNOWN);
});

test("a checkout's version is the tag of its commit, however git stores it", (t) => {
  const root = folder(t, { "file.txt": "1" });
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env["PATH"] },
    }).trim();
  try {
    git("init", "--quiet");
  } catch {
    return t.diagnostic("there is no git here");
  }
  git("add", "file.txt");
  assert.equal(hasChanges(root), true);
  const first = git("commit", "--quiet", "-am", "1") + git("rev-parse", "HEAD");
  assert.deepEqual(readDeployment(root), { gitSha: first, gitDerivedVersion: first.slice(0, 7) });
  assert.equal(hasChanges(root), false, "a package of it is of this commit");
  git("tag", "v1.9");
  git("tag", "v1.10");
  assert.equal(readDeployment(root).gitDerivedVersion, "v1.10");
  git("add", "file.txt");
  writeFileSync(join(root, "file.txt"), "2");
  git("commit", "--quiet", "-am", "2");
  assert.equal(readDeployment(root).gitDerivedVersion, git("rev-parse", "HEAD").slice(0, 7));
  git("tag", "-a", "-m", "annotated", "teams/v2");
  assert.equal(readDeployment(root).gitDerivedVersion, "teams/v2");
  git("pack-refs", "--all");
  assert.equal(readDeployment(root).gitDerivedVersion, "teams/v2");
  const beside = join(root, "beside");
  git("worktree", "add", "--quiet", beside, "v1.9");
  assert.deepEqual(readDeployment(beside), { gitSha: first, gitDerivedVersion: "v1.10" });
});

test("the version for people is that of the package, with that of the commit", (t) => {
  const info = JSON.stringify({ git_sha: SHA, git_derived_version: "0123456-dirty" });
  const root = folder(t, { "package.json": '{"version":"1.2.3"}', "dist/build-info.json": info });
  assert.equal(readVersion(join(root, "dist"), root), "1.2.3 (0123456-dirty)");
});
