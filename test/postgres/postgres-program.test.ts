import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findPostgres, runAs } from "./postgres-program.ts";

test("a PostgreSQL whose install script never ran, in a folder that only its owner may enter, is made to run", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-program-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [home, copies] = [join(folder, "home"), join(folder, "copies")];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(copies);
  chmodSync(folder, 0o755);
  const native = join(dirname(findPostgres().bin));
  cpSync(join(native, "..", "package.json"), join(home, "package.json"));
  cpSync(native, join(home, "native"), { recursive: true, verbatimSymlinks: true });
  const libraries = join(home, "native/lib");
  const links = readdirSync(libraries).filter((name) => lstatSync(join(libraries, name)).isSymbolicLink());
  for (const link of links) rmSync(join(libraries, link));
  assert.ok(links.length > 10);

  const program = findPostgres(join(home, "native"), copies);

  const { stdout } = spawnSync(join(program.bin, "postgres"), ["--version"], { ...runAs(program), encoding: "utf8" });
  assert.match(stdout, /^postgres \(PostgreSQL\) \d+/);
  // Root runs it as another user, who cannot reach the original.
  assert.equal(program.bin.startsWith(copies), process.getuid?.() === 0);
  assert.ok(existsSync(join(program.bin, "../lib", links[0]!)));
});
