import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { programName } from "./program-name.ts";

/** A machine with the program in `app`; `name` returns how it is started from a folder there. */
function machine(t: TestContext, links: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "datarun-machine-")));
  t.after(() => rmSync(root, { recursive: true }));
  const at = (path: string) => join(root, path);
  const file = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), "");
  };
  for (const path of ["app/bin/datarun.mjs", "app/package.json", "usr/bin/npx", "usr/bin/node", "empty/.keep"])
    file(path);
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    if (target === "") file(path);
    else symlinkSync(at(target), at(path));
  }
  return {
    at,
    name: (folder: string, path: readonly string[] = ["usr/bin"], environment: Readonly<Record<string, string>> = {}) =>
      programName({ PATH: path.map(at).join(":"), ...environment }, at(folder), at("app")),
  };
}

test("a program that a shell finds by its name is called by it", (t) => {
  const { name } = machine(t, { "usr/bin/datarun": "app/bin/datarun.mjs" });
  assert.equal(name("empty"), "datarun");
  assert.equal(name("app"), "datarun");
});

test("in a checkout and where the package is installed, npx finds it, in folders below as well", (t) => {
  const { name, at } = machine(t, {
    "app/docs/page.md": "",
    "shop/package.json": "",
    "shop/node_modules/.bin/datarun": "app/bin/datarun.mjs",
    "shop/src/index.ts": "",
  });
  for (const folder of ["app", "app/docs", "shop", "shop/src"]) assert.equal(name(folder), "npx datarun", folder);
  // npm adds its own folders to the path of the programs that it runs.
  assert.equal(name("shop", ["shop/node_modules/.bin", "usr/bin"]), "npx datarun");
  assert.equal(name("empty", ["usr/bin"], { npm_lifecycle_event: "npx" }), "npx datarun");
  assert.equal(name("app", ["no-npm"]), `${process.execPath} ${at("app/bin/datarun.mjs")}`);
});

test("elsewhere it is started by its path, and never by a name that belongs to another program", (t) => {
  const { name, at } = machine(t, { "usr/bin/datarun": "", "other/package.json": "" });
  const byPath = `node ${at("app/bin/datarun.mjs")}`;
  assert.equal(name("empty"), byPath);
  assert.equal(name("other"), byPath);
  assert.equal(name("app"), "npx datarun");
});
