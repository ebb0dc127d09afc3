import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { bundleFunction } from "../load/bundle.ts";
import type { ForbiddenPath } from "./import-scope.ts";
import { layFiles, type Laid } from "./lay-files.kit.ts";

interface Lawful {
  readonly name: string;
  /**
   * `functions/f.ts` exports the expected value. The project is the folder `p`; files beside it are outside the
   * project.
   */
  readonly files: Readonly<Record<string, Laid>>;
  readonly gives: unknown;
  /** The project's folder as the resolver gets it. Default: `p`. */
  readonly root?: string;
  readonly closed?: string;
}

const LAWFUL: readonly Lawful[] = [
  {
    name: "a file beside it, and one above it",
    files: {
      "p/functions/f.ts": 'import a from "./a.ts"; import b from "../lib/b.ts"; export default [a, b];',
      "p/functions/a.ts": "export default 1;",
      "p/lib/b.ts": "export default 2;",
    },
    gives: [1, 2],
  },
  {
    name: "a path without extension, and a folder",
    files: {
      "p/functions/f.ts": 'import a from "./a"; import b from "./b"; import c from "./c/"; export default [a, b, c];',
      "p/functions/a.ts": "export default 1;",
      "p/functions/b.json": "2",
      "p/functions/c/index.js": "export default 3;",
    },
    gives: [1, 2, 3],
  },
  {
    name: "a file rather than a folder of the same name",
    files: {
      "p/functions/f.ts": 'export { default } from "./a";',
      "p/functions/a.ts": "export default 1;",
      "p/functions/a/index.ts": "export default 2;",
    },
    gives: 1,
  },
  {
    name: "TypeScript under the name that it will have",
    files: {
      "p/functions/f.ts":
        'import a from "./a.js"; import b from "./b.mjs"; import c from "./c.cjs"; export default [a, b, c];',
      "p/functions/a.ts": "export default 1;",
      "p/functions/b.mts": "export default 2;",
      "p/functions/c.cts": "export default 3;",
    },
    gives: [1, 2, 3],
  },
  {
    name: "JSON, with and without its attribute, with a byte order mark",
    files: {
      "p/functions/f.ts":
        'import a from "./a.json"; import b from "./a.json" with { type: "json" }; export default [a, b];',
      "p/functions/a.json": '\uFEFF{ "one": 1 }',
    },
    gives: [{ one: 1 }, { one: 1 }],
  },
  {
    name: "require, and import() of a text",
    files: {
      "p/functions/f.ts":
        'const a = require("./a.cjs"); export const late = () => import(`./a.cjs`); export default a;',
      "p/functions/a.cjs": "module.exports = 1;",
    },
    gives: 1,
  },
  {
    name: "a link within the project",
    files: {
      "p/functions/f.ts": 'import a from "./a.ts"; import b from "./l/b.ts"; export default [a, b];',
      "p/functions/a.ts": { link: "p/lib/b.ts" },
      "p/functions/l": { link: "p/lib" },
      "p/lib/b.ts": "export default 2;",
    },
    gives: [2, 2],
  },
  {
    name: "a function that is a link within the project",
    files: {
      "p/functions/f.ts": { link: "p/lib/f.ts" },
      "p/lib/f.ts": 'export { default } from "./b.ts";',
      "p/lib/b.ts": "export default 2;",
    },
    gives: 2,
  },
  {
    name: "a project that is reached by a link, below a hidden folder",
    root: "here",
    files: {
      here: { link: ".hidden/p" },
      ".hidden/p/functions/f.ts": 'export { default } from "../lib/a.ts";',
      ".hidden/p/lib/a.ts": "export default 1;",
    },
    gives: 1,
  },
  {
    name: "files that Kubernetes mounted",
    files: {
      "p/functions/f.ts": { link: "p/functions/..data/f.ts" },
      "p/functions/a.ts": { link: "p/functions/..data/a.ts" },
      "p/functions/..data": { link: "p/functions/..2026_08_09_13_17_12.123456789" },
      "p/functions/..2026_08_09_13_17_12.123456789/f.ts": 'export { default } from "./a.ts";',
      "p/functions/..2026_08_09_13_17_12.123456789/a.ts": "export default 1;",
    },
    gives: 1,
  },
  {
    name: "a project that lies in the data directory",
    closed: ".",
    files: { "p/functions/f.ts": 'export { default } from "../lib/a.ts";', "p/lib/a.ts": "export default 1;" },
    gives: 1,
  },
  {
    name: "a data directory beside the project whose name begins alike",
    closed: "p-data",
    files: {
      "p-data/a.json": "1",
      "p/p-data/a.json": "2",
      "p/functions/f.ts": 'export { default } from "../p-data/a.json";',
    },
    gives: 2,
  },
  {
    name: "a data directory that is not there yet",
    closed: "p/data",
    files: { "p/functions/f.ts": "export default 1;" },
    gives: 1,
  },
  {
    name: "an interface from a file that is not there",
    files: { "p/functions/f.ts": 'import type { A } from "./nothing.ts"; const a: A = 1; export default a;' },
    gives: 1,
  },
  {
    name: "packages that need packages, each its own version",
    files: {
      "p/functions/f.ts": 'import a from "a"; import b from "b"; export default [a, b];',
      "p/node_modules/a/index.js": 'module.exports = "a " + require("b");',
      "p/node_modules/a/node_modules/b/index.js": 'module.exports = "b2";',
      "p/node_modules/b/index.js": 'module.exports = "b1";',
    },
    gives: ["a b2", "b1"],
  },
  {
    name: "a scoped package and a file in it",
    files: {
      "p/functions/f.ts": 'import a from "@s/a"; import b from "@s/a/lib/b"; export default [a, b];',
      "p/node_modules/@s/a/package.json": '{ "main": "lib/main" }',
      "p/node_modules/@s/a/lib/main.js": "module.exports = 1;",
      "p/node_modules/@s/a/lib/b.js": "module.exports = 2;",
    },
    gives: [1, 2],
  },
  {
    name: "module before main, and main that is a folder",
    files: {
      "p/functions/f.ts": 'import a from "a"; import b from "b"; export default [a, b];',
      "p/node_modules/a/package.json": '{ "main": "./main.js", "module": "./module.js" }',
      "p/node_modules/a/main.js": "exports.default = 1;",
      "p/node_modules/a/module.js": "export default 2;",
      "p/node_modules/b/package.json": '{ "main": "./lib" }',
      "p/node_modules/b/lib/index.js": "module.exports = 3;",
    },
    gives: [2, 3],
  },
  {
    name: "exports by condition, in the order of the package",
    files: {
      "p/functions/f.ts": 'import a from "a"; const b = require("a"); export default [a, b];',
      "p/node_modules/a/package.json":
        '{ "exports": { ".": { "node": "./node.js", "import": "./import.mjs", "require": "./require.cjs" } } }',
      "p/node_modules/a/import.mjs": "export default 1;",
      "p/node_modules/a/require.cjs": "module.exports = 2;",
      "p/node_modules/a/node.js": "module.exports = 3;",
    },
    gives: [1, 2],
  },
  {
    name: "exports by pattern, the longest first",
    files: {
      "p/functions/f.ts": 'import a from "a/x/one"; import b from "a/x/in/two.js"; export default [a, b];',
      "p/node_modules/a/package.json": '{ "exports": { "./x/*": "./lib/*.js", "./x/in/*.js": ["./in/*.js"] } }',
      "p/node_modules/a/lib/one.js": "export default 1;",
      "p/node_modules/a/in/two.js": "export default 2;",
    },
    gives: [1, 2],
  },
  {
    name: "imports of a package, and of the project",
    files: {
      "p/package.json": '{ "imports": { "#lib/*": "./lib/*.ts", "#a": "a" } }',
      "p/functions/f.ts": 'import a from "#a"; import b from "#lib/b"; export default [a, b];',
      "p/lib/b.ts": "export default 2;",
      "p/node_modules/a/package.json": '{ "imports": { "#i": { "default": "./i.js" } } }',
      "p/node_modules/a/index.js": 'export { default } from "#i";',
      "p/node_modules/a/i.js": "export default 1;",
    },
    gives: [1, 2],
  },
  {
    name: "a package that imports itself by its name",
    files: {
      "p/functions/f.ts": 'export { default } from "a";',
      "p/node_modules/a/package.json": '{ "name": "a", "exports": { ".": "./a.js", "./b": "./b.js" } }',
      "p/node_modules/a/a.js": 'export { default } from "a/b";',
      "p/node_modules/a/b.js": "export default 1;",
    },
    gives: 1,
  },
  {
    name: "a package called like a part of Node",
    files: {
      "p/functions/f.ts": 'export { default } from "events";',
      "p/node_modules/events/index.js": "module.exports = 1;",
    },
    gives: 1,
  },
  {
    name: "packages of the folder above, as the catalog's are",
    files: {
      "p/functions/f.ts": 'export { default } from "a";',
      "node_modules/a/index.js": 'module.exports = require("./b.js") + require("c");',
      "node_modules/a/b.js": "module.exports = 1;",
      "node_modules/c/index.js": "module.exports = 2;",
    },
    gives: 3,
  },
  {
    name: "packages in a store of the project",
    files: {
      "p/functions/f.ts": 'export { default } from "a";',
      "p/node_modules/a": { link: "p/node_modules/.store/a@1/node_modules/a" },
      "p/node_modules/.store/a@1/node_modules/a/index.js": 'module.exports = require("./b.js") + require("c");',
      "p/node_modules/.store/a@1/node_modules/a/b.js": "module.exports = 1;",
      "p/node_modules/.store/a@1/node_modules/c": { link: "p/node_modules/.store/c@1/node_modules/c" },
      "p/node_modules/.store/c@1/node_modules/c/index.js": "module.exports = 2;",
    },
    gives: 3,
  },
  {
    name: "packages in a store of the workspace above",
    files: {
      "p/functions/f.ts": 'export { default } from "a";',
      "p/node_modules/a": { link: "node_modules/.store/a@1/node_modules/a" },
      "node_modules/.store/a@1/node_modules/a/index.js": 'module.exports = require("c");',
      "node_modules/.store/a@1/node_modules/c": { link: "node_modules/.store/c@1/node_modules/c" },
      "node_modules/.store/c@1/node_modules/c/index.js": "module.exports = 2;",
    },
    gives: 2,
  },
  {
    name: "a package of the workspace, from the folder above",
    files: {
      "p/functions/f.ts": 'export { default } from "@w/lib";',
      "node_modules/@w/lib": { link: "lib" },
      "lib/package.json": '{ "main": "src/main.ts" }',
      "lib/src/main.ts": 'import { one } from "./one.ts"; import a from "a"; export default one + a;',
      "lib/src/one.ts": "export const one: number = 1;",
      "lib/node_modules/a/index.js": "module.exports = 2;",
    },
    gives: 3,
  },
  {
    name: "a package of the workspace, within the project",
    files: {
      "p/functions/f.ts": 'export { default } from "@w/lib";',
      "p/node_modules/@w/lib": { link: "p/packages/lib" },
      "p/packages/lib/index.ts": 'export { default } from "../other.ts";',
      "p/packages/other.ts": "export default 1;",
    },
    gives: 1,
  },
  {
    name: "files of a package that its code chooses, from one folder of it",
    files: {
      "p/functions/f.ts": 'import of from "a"; export default [of("en"), of("de")];',
      "p/node_modules/a/index.js": 'module.exports = (name) => require("./langs/" + name + ".json");',
      "p/node_modules/a/langs/en.json": '"hello"',
      "p/node_modules/a/langs/de.json": '"hallo"',
      "p/node_modules/a/langs/README.md": "words",
    },
    gives: ["hello", "hallo"],
  },
  {
    name: "files of a package that its code chooses, by a template and without extension",
    files: {
      "p/functions/f.ts": 'import of from "a"; export default of("en");',
      "p/node_modules/a/package.json": '{ "main": "index.cjs" }',
      "p/node_modules/a/langs/en.js": "module.exports = 1;",
      "p/node_modules/a/index.cjs": "module.exports = (name) => require(`./langs/${name}`);",
    },
    gives: 1,
  },
  {
    name: "nothing of a package whose files have no effect by themselves",
    files: {
      "p/functions/f.ts": 'import { a } from "a"; export default [a, globalThis.touched];',
      "p/node_modules/a/package.json": '{ "module": "a.js", "sideEffects": ["./keep.js"] }',
      "p/node_modules/a/a.js": 'import "./drop.js"; import "./keep.js"; export const a = 1;',
      "p/node_modules/a/drop.js": "globalThis.touched = 'dropped';",
      "p/node_modules/a/keep.js": "globalThis.touched ??= 'kept';",
    },
    gives: [1, "kept"],
  },
];

test("what a function may import is found as Node and bundlers find it", async (t) => {
  for (const { name, files, gives, root = "p", closed } of LAWFUL) {
    await t.test(name, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), "datarun-lawful-"));
      t.after(() => rm(folder, { recursive: true, force: true }));
      await layFiles(folder, files);
      const places: ForbiddenPath[] =
        closed === undefined ? [] : [{ path: join(folder, closed), name: "the data directory" }];
      const { code } = await bundleFunction(join(folder, root, "functions/f.ts"), join(folder, root), places);
      let loaded: { readonly default: unknown } | undefined;
      runInNewContext(code, { __take: (load: () => { readonly default: unknown }) => (loaded = load()) });
      assert.equal(JSON.stringify(loaded!.default), JSON.stringify(gives));
      assert.equal(code.includes(folder), false, "the bundle says where the project lies");
    });
  }
});
