import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readDeployment } from "./deployment.ts";

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

test("what a build has written is what is deployed, and a broken file is as good as none", async (t) => {
  const read = (text: string) => readDeployment(folder(t, { "build-info.json": text }));
  const info = { git_sha: SHA, git_derived_version: "v1.2.3" };
  assert.deepEqual(await read(JSON.stringify(info)), { gitSha: SHA, gitDerivedVersion: "v1.2.3" });
  for (const version of [7, "", null, undefined]) {
    assert.equal((await read(JSON.stringify({ ...info, git_derived_version: version }))).gitDerivedVersion, "0123456");
  }
  for (const text of ["", "{", "null", "[]", '"x"', "{}", '{"git_sha":"main","git_derived_version":"v1"}']) {
    assert.deepEqual(await read(text), UNKNOWN, text);
  }
});

test("a checkout that git cannot read is read by its files, packed references too", async (t) => {
  const head = { ".git/HEAD": "ref: refs/heads/main\n" };
  const expected = { gitSha: SHA, gitDerivedVersion: "0123456" };
  assert.deepEqual(await readDeployment(folder(t, { ...head, ".git/refs/heads/main": `${SHA}\n` })), expected);
  const packed = `# pack-refs with: peeled\n${"f".repeat(40)} refs/heads/mainline\n${SHA} refs/heads/main\n`;
  assert.deepEqual(await readDeployment(folder(t, { ...head, ".git/packed-refs": packed })), expected);
  assert.deepEqual(await readDeployment(folder(t, head)), UNKNOWN);
});
