import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { listTarball, readFromTarball } from "../rig/package.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COPIED =
  "bin src catalog console tools docs deploy client-generators/package.json package.json package-lock.json tsconfig.json openapi.json openapi-admin.json changes README.md CHANGELOG.md CONTRIBUTING.md NOTICE .gitignore".split(
    " ",
  );

function aCheckout(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "datarun-release-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  cpSync(join(ROOT, "test/lifecycle/previous-release.tgz"), join(folder, "test/lifecycle/previous-release.tgz"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  // A link is no folder, which is what `.gitignore` leaves out.
  writeFileSync(
    join(folder, ".gitignore"),
    "node_modules\n*.tgz\n!test/lifecycle/previous-release.tgz\ndist/\n.cache/\n",
  );
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch", "main");
  git("config", "user.name", "Somebody");
  git("config", "user.email", "somebody@example.com");
  git("add", "--all");
  git("commit", "--quiet", "--message", "everything");
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ["tools/release.ts", ...args], { cwd: folder, env, encoding: "utf8" });
  return { folder, git, release };
}

test("a release is a version, notes out of changes/, a tarball and a tag; one that cannot be made changes nothing", (t) => {
  const { folder, git, release } = aCheckout(t);
  const before = git("rev-parse", "HEAD");
  const refusals: [string[], RegExp][] = [
    [[], /Give the version/],
    [["next"], /Give the version/],
    [["0.0.1"], /0\.0\.1 is older than 0\./],
  ];
  for (const [args, reason] of refusals) {
    const { status, stderr } = release(...args);
    assert.deepEqual([status, reason.test(stderr)], [1, true], stderr);
  }
  writeFileSync(join(folder, "README.md"), "changed");
  assert.match(release("90.0.0").stderr, /has changes/);
  git("checkout", "README.md");

  // A step in the middle fails.
  const fragment = readFileSync(join(folder, "deploy/kubernetes/kustomization.yaml"), "utf8");
  writeFileSync(join(folder, "deploy/kubernetes/kustomization.yaml"), fragment.replace(/newTag: .*/, "newTag: latest"));
  git("commit", "--quiet", "--all", "--message", "no version");
  const failed = release("90.0.0");
  assert.match(failed.stderr, /no longer names the version/);
  assert.equal(git("status", "--porcelain"), "");
  assert.equal(git("tag", "--list"), "");
  git("reset", "--quiet", "--hard", before);

  writeFileSync(join(folder, "changes/a-fix.md"), "fixed: one line.\n\nSee [the page](../docs/README.md).\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "a fix");
  const made = release("90.0.0");
  assert.equal(made.status, 0, made.stderr);
  const [tarball] = made.stdout.split("\n");
  const contents = listTarball(tarball!);
  assert.ok(contents.includes("CHANGELOG.md") && contents.includes("bin/datarun.mjs"));
  assert.equal((JSON.parse(readFromTarball(tarball!, "package.json")) as { version: string }).version, "90.0.0");
  assert.match(readFromTarball(tarball!, "dist/build-info.json"), /"git_derived_version":"v90\.0\.0"/);
  assert.deepEqual(globSync("changes/*", { cwd: folder }), [join("changes", "README.md")]);
  const changelog = readFileSync(join(folder, "CHANGELOG.md"), "utf8");
  assert.match(changelog, /^## 90\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n### /m);
  assert.match(changelog, /^### Fixed\n\n[^]*^- one line\.\n\n {2}See \[the page\]\(docs\/README\.md\)\.$/m);
  assert.match(git("tag", "--list", "--format=%(contents)", "v90.0.0"), /^### Fixed$/m);
  assert.match(readFileSync(join(folder, "docs/guides/deploy-as-package.md"), "utf8"), /datarun-90\.0\.0\.tgz/);
  assert.equal(
    (JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as { version: string }).version,
    "90.0.0",
  );
  assert.ok(existsSync(join(folder, "test/lifecycle/previous-release.tgz")));
  assert.equal(git("status", "--porcelain"), "");
  assert.equal(git("log", "--format=%s", "-2"), "test: the next version is tested beside 90.0.0\nrelease: 90.0.0");

  assert.match(release("90.0.0").stderr, /There is a release 90\.0\.0 already/);
  assert.match(release("90.0.1").stderr, /Nothing has changed since the last release/);
});
