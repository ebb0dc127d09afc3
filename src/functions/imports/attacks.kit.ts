import type { Laid } from "./lay-files.kit.ts";

/**
 * Files that try to reach more than a function may, as data: `attacks.kit.test.ts` tries them all. To add one, append it
 * to the list of its expected outcome; nothing else changes.
 *
 * All are put into the same project. Each file there that no function may read contains the text `SECRET`, which must
 * not be in any bundle, answer or message:
 *
 *     outside/secret.{json,ts,js,txt}, outside/vault/…    beside the project
 *     project/.env, .env.json, .hidden/secret.ts          hidden
 *     project/.datarun/…, project/vault/…                 two data directories
 *     project/datarun.config.ts                           settings
 *     project/notes.txt, notes                            neither code nor JSON
 *     project/lib/words.json, lib/other.ts                allowed
 *     project/node_modules/pure, …/.store/deep@1/node_modules/deep, with a link to it
 */
export interface Attack {
  readonly name: string;
  /** The text of `functions/attack.ts`; if absent, `files` contains it. */
  readonly code?: string;
  readonly files?: Readonly<Record<string, Laid>> | undefined;
}

export interface RefusedAttack extends Attack {
  /** The line of the refused import, counted from one. `null`: the function's file itself is refused. */
  readonly line: number | null;
  /** The file with that line, relative to `functions`, unless it is the function's own. */
  readonly in?: string;
  readonly says: RegExp;
}

/** Relative to `functions`. */
const OUT = "../../outside/secret.ts";

const DATA = /leads to the data directory, which is closed to functions/;
const SETTINGS = /leads to the settings of the service, which is closed to functions/;
const DOT = /begins with a dot is closed to functions/;
const OUTSIDE = /lies outside of the project's folder; functions import files inside it, and packages/;
const BEYOND_PACKAGE = /lies outside of its package and of the project's folder/;
const LINKED_OUT = /is a link that leads out of the project's folder: install the package instead/;
const NO_CODE = /is neither code nor JSON: functions import \.ts, /;
const ATTRIBUTE = /is not possible: functions import code and JSON only/;
const COMPUTED = /the path of this import is computed at run time: write out each path/;
const ADDRESS = /is an address: functions import files and packages, and call sources with run\(\)/;
const ABSOLUTE = /must be written relative to the file: \.\/ or \.\.\//;
const NOT_REGULAR = /is not a regular file/;
const NO_FILE = /^.*Could not resolve ".*": there is no such file/;
const NO_PACKAGE = /Could not resolve ".*": no such package is installed in the project/;
const NO_NAME = /Could not resolve ".*": that is not the name of a package/;
const NODE = /is a part of Node, and functions run without Node/;

function importing(path: string, more = ""): string {
  return `import got from ${JSON.stringify(path)}${more};\nexport default { id: "dfunc_attack", title: "A", run: () => ({ output: { got } }) };`;
}

function running(expression: string): string {
  return `export default { id: "dfunc_attack", title: "A", run: async ({ inputs: { x, y } }) => {\n  const got = ${expression};\n  return { output: { got } };\n} };`;
}

/** A package in the author's own folder, and a function that imports it. */
function ownPackage(main: string, manifest: object = {}): Attack["files"] {
  return {
    "functions/attack.ts": importing("own"),
    "functions/node_modules/own/package.json": JSON.stringify({ name: "own", ...manifest }),
    "functions/node_modules/own/index.js": main,
  };
}

const IN_OWN = "node_modules/own/index.js";

export const REFUSED: readonly RefusedAttack[] = [
  // Import attributes.
  {
    name: "the root key as text",
    code: importing("../.datarun/root-1.key", ' with { type: "text" }'),
    line: 1,
    says: ATTRIBUTE,
  },
  {
    name: "the store as bytes",
    code: importing("../.datarun/store.sqlite", ' with { type: "bytes" }'),
    line: 1,
    says: ATTRIBUTE,
  },
  {
    name: "a file of the project as text",
    code: importing("../notes.txt", ' with { type: "text" }'),
    line: 1,
    says: ATTRIBUTE,
  },
  { name: "code as text", code: importing("../lib/other.ts", ' with { type: "text" }'), line: 1, says: ATTRIBUTE },
  { name: "a file as base64", code: importing("../notes.txt", ' with { type: "base64" }'), line: 1, says: ATTRIBUTE },
  {
    name: "an attribute of another name",
    code: importing("../lib/words.json", ' with { kind: "json" }'),
    line: 1,
    says: ATTRIBUTE,
  },
  {
    name: "two attributes",
    code: importing("../lib/words.json", ' with { type: "json", as: "text" }'),
    line: 1,
    says: ATTRIBUTE,
  },
  {
    name: "an attribute of import()",
    code: running('await import("../notes.txt", { with: { type: "bytes" } })'),
    line: 2,
    says: ATTRIBUTE,
  },
  {
    name: "an attribute of an export",
    code: 'export * as got from "../notes.txt" with { type: "text" };',
    line: 1,
    says: ATTRIBUTE,
  },
  {
    name: "an attribute that is computed",
    code: running('await import("../notes.txt", { with: { ...x } })'),
    line: 2,
    says: /second argument to "import\(\)"/,
  },
  // Closed paths in the project.
  { name: "the root key", code: importing("../.datarun/root-1.key"), line: 1, says: DATA },
  {
    name: "TypeScript's own import of the data directory",
    code: `import got = require("../vault/service.json");\n${running("got")}`,
    line: 1,
    says: DATA,
  },
  {
    name: "everything of a file of the data directory, passed on",
    code: `export * as got from "../vault/functions/kept.js";\n${running("1")}`,
    line: 1,
    says: DATA,
  },
  {
    name: "an import of the data directory that is deferred",
    code: `import defer * as got from "../vault/functions/kept.js";\n${running("got.default")}`,
    line: 1,
    says: /./,
  },
  { name: "JSON of the data directory", code: importing("../.datarun/service.json"), line: 1, says: DATA },
  { name: "the data directory under another name", code: importing("../vault/service.json"), line: 1, says: DATA },
  { name: "code in the data directory", code: importing("../vault/functions/kept.js"), line: 1, says: DATA },
  {
    name: "the data directory by a detour",
    code: importing("../lib/../vault/../vault/./service.json"),
    line: 1,
    says: DATA,
  },
  { name: "the data directory, without the extension", code: importing("../vault/service"), line: 1, says: DATA },
  {
    name: "the data directory by a link to the file",
    code: importing("./innocent.json"),
    files: { "functions/innocent.json": { link: "vault/service.json" } },
    line: 1,
    says: DATA,
  },
  {
    name: "the data directory by a link to the folder",
    code: importing("./innocent/service.json"),
    files: { "functions/innocent": { link: "vault" } },
    line: 1,
    says: DATA,
  },
  {
    name: "the data directory by a link to a link",
    code: importing("./a/service.json"),
    files: { "functions/a": { link: "functions/b" }, "functions/b": { link: "vault" } },
    line: 1,
    says: DATA,
  },
  {
    name: "the data directory by a second name of a file",
    code: importing("./innocent.json"),
    files: { "functions/innocent.json": { sameAs: "vault/service.json" } },
    line: 1,
    says: DATA,
  },
  {
    name: "the data directory as a package",
    code: importing("v/service.json"),
    files: { "functions/node_modules/v": { link: "vault" } },
    line: 1,
    says: DATA,
  },
  {
    name: "a package of that name in the data directory",
    code: importing("kept"),
    files: { "functions/node_modules/kept": { link: "vault/functions" } },
    line: 1,
    says: DATA,
  },
  { name: "the settings", code: importing("../datarun.config.ts"), line: 1, says: SETTINGS },
  { name: "the settings, without the extension", code: importing("../datarun.config"), line: 1, says: SETTINGS },
  {
    name: "the settings by a link",
    code: importing("./c.ts"),
    files: { "functions/c.ts": { link: "datarun.config.ts" } },
    line: 1,
    says: SETTINGS,
  },
  {
    name: "the settings by a second name",
    code: importing("./c.ts"),
    files: { "functions/c.ts": { sameAs: "datarun.config.ts" } },
    line: 1,
    says: SETTINGS,
  },
  // Hidden files.
  { name: ".env", code: importing("../.env"), line: 1, says: DOT },
  { name: ".env.json", code: importing("../.env.json"), line: 1, says: DOT },
  { name: "a hidden folder", code: importing("../.hidden/secret.ts"), line: 1, says: DOT },
  {
    name: "a hidden file by a link",
    code: importing("./open.json"),
    files: { "functions/open.json": { link: ".env.json" } },
    line: 1,
    says: DOT,
  },
  {
    name: "a hidden folder as a package",
    code: importing("h/secret.ts"),
    files: { "functions/node_modules/h": { link: ".hidden" } },
    line: 1,
    says: DOT,
  },
  {
    name: "a hidden file in a package",
    files: {
      ...ownPackage('module.exports = require("./.secret.json")'),
      "functions/node_modules/own/.secret.json": '"SECRET"',
    },
    line: 1,
    in: IN_OWN,
    says: DOT,
  },
  { name: "a hidden file by the name of a package", code: importing(".env.json"), line: 1, says: NO_NAME },
  // Outside the project.
  { name: "a file beside the project", code: importing("../../outside/secret.json"), line: 1, says: OUTSIDE },
  { name: "code beside the project", code: importing("../../outside/secret.ts"), line: 1, says: OUTSIDE },
  { name: "a file that is not there, outside", code: importing("../../outside/nothing.json"), line: 1, says: OUTSIDE },
  {
    name: "a folder whose name begins like the project's",
    code: importing("../../project-b/secret.json"),
    line: 1,
    says: OUTSIDE,
  },
  { name: "a file by its whole path", code: importing("/etc/hostname"), line: 1, says: ABSOLUTE },
  {
    name: "a file by dots up to the top",
    code: importing(`${"../".repeat(40)}proc/self/environ`),
    line: 1,
    says: OUTSIDE,
  },
  {
    name: "a file outside by a link",
    code: importing("./s.json"),
    files: { "functions/s.json": { link: "../outside/secret.json" } },
    line: 1,
    says: OUTSIDE,
  },
  {
    name: "a folder outside by a link",
    code: importing("./s/secret.json"),
    files: { "functions/s": { link: "../outside" } },
    line: 1,
    says: OUTSIDE,
  },
  {
    name: "a link to itself",
    code: importing("./s.json"),
    files: { "functions/s.json": { link: "functions/s.json" } },
    line: 1,
    says: NO_FILE,
  },
  {
    name: "the second line, deep in another file",
    code: importing("./a.ts"),
    files: {
      "functions/a.ts": 'export { default } from "./b/b.ts";',
      "functions/b/b.ts": `// why\nexport { default } from "../${OUT}";`,
    },
    line: 2,
    in: "b/b.ts",
    says: OUTSIDE,
  },
  { name: "a backslash", code: importing("..\\..\\outside\\secret.json"), line: 1, says: NO_NAME },
  { name: "a backslash after dots", code: importing("./..\\..\\outside\\secret.json"), line: 1, says: DOT },
  { name: "an escaped slash", code: importing("..%2f..%2foutside%2fsecret.json"), line: 1, says: NO_NAME },
  { name: "a NUL that ends the name early", code: importing("../notes.txt\0.json"), line: 1, says: /NUL/ },
  {
    name: "another case of the data directory's name",
    code: importing("../VAULT/service.json"),
    line: 1,
    says: NO_FILE,
  },
  { name: "an empty name", code: importing(""), line: 1, says: NO_NAME },
  { name: "the project's folder itself", code: importing(".."), line: 1, says: NOT_REGULAR },
  // Addresses.
  { name: "file:", code: importing("file:///etc/hostname"), line: 1, says: ADDRESS },
  { name: "https:", code: importing("https://example.com/a.js"), line: 1, says: ADDRESS },
  { name: "two slashes", code: importing("//example.com/a.js"), line: 1, says: ADDRESS },
  { name: "data:", code: importing("data:text/javascript,export default 1"), line: 1, says: ADDRESS },
  {
    name: "a long data:",
    code: importing(`data:application/json,"${"x".repeat(500)}"`),
    line: 1,
    says: /^line 1: "data:.{50,60}…" is an address/,
  },
  // Node.
  {
    name: "node:fs",
    code: 'import { readFileSync } from "node:fs";\nexport default { readFileSync };',
    line: 1,
    says: NODE,
  },
  { name: "fs/promises by import()", code: running('await import("fs/promises")'), line: 2, says: NODE },
  {
    name: "child_process in a package",
    files: ownPackage('\nmodule.exports = require("child_process")'),
    line: 2,
    in: IN_OWN,
    says: NODE,
  },
  { name: "a part of Node that needs its prefix", code: importing("node:sqlite"), line: 1, says: NODE },
  {
    name: "node: by imports of package.json",
    code: importing("#fs"),
    files: { "functions/package.json": '{ "imports": { "#fs": "node:fs" } }' },
    line: 1,
    says: NODE,
  },
  // Patterns.
  {
    name: "a pattern to the top",
    code: running("await import(`../../../../../../../../../../${x}/${y}`)"),
    line: 2,
    says: COMPUTED,
  },
  {
    name: "a pattern for the data directory",
    code: running("await import(`../.datarun/${x}`)"),
    line: 2,
    says: COMPUTED,
  },
  {
    name: "a pattern for JSON beside the project",
    code: running('require("../../" + x + "/" + y + ".json")'),
    line: 2,
    says: COMPUTED,
  },
  {
    name: "a pattern with an attribute",
    code: running('await import(`../.datarun/${x}`, { with: { type: "text" } })'),
    line: 2,
    says: COMPUTED,
  },
  { name: "a pattern with single quotes", code: running("require('../vault/' + x)"), line: 2, says: COMPUTED },
  {
    name: "a pattern behind a comment",
    code: running("await import(/* a */ // b\n `../vault/${x}`)"),
    line: 2,
    says: COMPUTED,
  },
  {
    name: "a pattern behind a comment of HTML, which scripts may have",
    code: importing("../lib/html.cjs"),
    files: { "lib/html.cjs": "module.exports = (x) => import <!-- a\n(`../vault/${x}.json`);" },
    in: "../lib/html.cjs",
    line: 1,
    says: COMPUTED,
  },
  {
    name: "a pattern behind the end of a comment of HTML",
    code: importing("../lib/html.cjs"),
    files: { "lib/html.cjs": "module.exports = (x) => import\n--> a\n(`../vault/${x}.json`);" },
    in: "../lib/html.cjs",
    line: 1,
    says: COMPUTED,
  },
  {
    name: "a pattern in a choice",
    code: running('require(x ? "../vault/" + y : "../lib/other.ts")'),
    line: 2,
    says: COMPUTED,
  },
  { name: "a pattern of pieces", code: running('await import(`.${"./"}vault/${x}`)'), line: 2, says: COMPUTED },
  { name: "a pattern after nothing", code: running('await import("" + y + x)'), line: 2, says: COMPUTED },
  { name: "a pattern of two texts", code: running('require("./" + "../" + x)'), line: 2, says: COMPUTED },
  {
    name: "a pattern with an escaped require",
    code: running('r\\u0065quire("../vault/" + x)'),
    line: 2,
    says: COMPUTED,
  },
  { name: "a pattern with escaped letters", code: running('require("\\x2e./vault/" + x)'), line: 2, says: COMPUTED },
  { name: "a pattern spread into a list", code: running('[...require("../vault/" + x)]'), line: 2, says: COMPUTED },
  { name: "a pattern with optional chaining", code: running('require?.("../vault/" + x)'), line: 2, says: COMPUTED },
  { name: "a pattern in brackets", code: running('(require)("../vault/" + x)'), line: 2, says: COMPUTED },
  {
    name: "a pattern deferred",
    code: running("await import.defer(`../vault/${x}`)"),
    line: 2,
    says: /Deferred imports are not available/,
  },
  {
    name: "a pattern of a declared constant",
    code: `const enum At { Up = "../vault/" }\n${running("await import(`${At.Up}${x}`)")}`,
    line: 3,
    says: COMPUTED,
  },
  {
    name: "a pattern in a file of the project",
    code: importing("./a.ts"),
    files: { "functions/a.ts": "// one\n// two\nexport default (x: string) => import(`../vault/${x}`);" },
    line: 3,
    in: "a.ts",
    says: COMPUTED,
  },
  {
    name: "a pattern that leaves its package",
    files: ownPackage('exports.a = (x) => require("../../../vault/" + x);'),
    line: 1,
    in: IN_OWN,
    says: COMPUTED,
  },
  {
    name: "a pattern that leaves its package later",
    files: ownPackage('\nexports.a = (x) => require("./" + "../../../vault/" + x);'),
    line: 2,
    in: IN_OWN,
    says: COMPUTED,
  },
  {
    name: "a pattern in a package's link to a folder",
    files: {
      ...ownPackage('exports.a = (x) => require("./d/" + x);'),
      "functions/node_modules/own/d": { link: "vault" },
    },
    line: 1,
    in: IN_OWN,
    says: COMPUTED,
  },
  {
    name: "a pattern in a package over a link to a file",
    files: {
      ...ownPackage('module.exports = require("./d/a.json")'),
      "functions/node_modules/own/d/a.json": { link: "vault/service.json" },
    },
    line: 1,
    in: IN_OWN,
    says: DATA,
  },
  // Packages.
  {
    name: "a package of the author's that leaves its folder",
    files: ownPackage('module.exports = require("../../../../outside/secret.json")'),
    line: 1,
    in: IN_OWN,
    says: BEYOND_PACKAGE,
  },
  {
    name: "a package of the author's that reads the environment",
    files: ownPackage(`module.exports = require("${"../".repeat(40)}proc/self/environ")`),
    line: 1,
    in: IN_OWN,
    says: BEYOND_PACKAGE,
  },
  {
    name: "a package of the author's that reads by a whole path",
    files: ownPackage('module.exports = require("/etc/hostname")'),
    line: 1,
    in: IN_OWN,
    says: ABSOLUTE,
  },
  {
    name: "a package of the author's that reads the data directory",
    files: ownPackage('module.exports = require("../../../vault/service.json")'),
    line: 1,
    in: IN_OWN,
    says: DATA,
  },
  {
    name: "a package with a link out of it",
    files: {
      ...ownPackage('module.exports = require("./s.json")'),
      "functions/node_modules/own/s.json": { link: "../outside/secret.json" },
    },
    line: 1,
    in: IN_OWN,
    says: BEYOND_PACKAGE,
  },
  {
    name: "a package below a package",
    files: {
      ...ownPackage('module.exports = require("inner")'),
      "functions/node_modules/own/node_modules/inner/index.js":
        '\n\nmodule.exports = require("../../../../../../outside/secret.json")',
    },
    line: 3,
    in: "node_modules/own/node_modules/inner/index.js",
    says: BEYOND_PACKAGE,
  },
  {
    name: "a package that is a link out of the project",
    code: importing("out/secret.json"),
    files: { "functions/node_modules/out": { link: "../outside" } },
    line: 1,
    says: LINKED_OUT,
  },
  {
    name: "a package that is a link to the top",
    code: importing("top/etc/hostname"),
    files: { "functions/node_modules/top": { link: "/" } },
    line: 1,
    says: LINKED_OUT,
  },
  {
    name: "a scoped package that is a link out of the project",
    code: importing("@a/out/secret.json"),
    files: { "functions/node_modules/@a/out": { link: "../outside" } },
    line: 1,
    says: LINKED_OUT,
  },
  {
    name: "packages that are all a link out of the project",
    code: importing("vault/service.json"),
    files: { "functions/node_modules": { link: "../outside" } },
    line: 1,
    says: LINKED_OUT,
  },
  {
    name: "a way out behind the name of a package",
    code: importing("pure/../../../outside/secret.json"),
    line: 1,
    says: BEYOND_PACKAGE,
  },
  {
    name: "a way to the data directory behind the name of a package",
    code: importing("pure/../../vault/service.json"),
    line: 1,
    says: DATA,
  },
  {
    name: "exports that lead out",
    files: ownPackage("", { exports: "./../../../../outside/secret.json" }),
    line: 1,
    says: BEYOND_PACKAGE,
  },
  {
    name: "exports that lead to the data directory",
    files: ownPackage("", { exports: { ".": { default: "./../../../vault/service.json" } } }),
    line: 1,
    says: DATA,
  },
  {
    name: "a pattern of exports that leads out",
    code: importing("own/x/../../../../outside/secret"),
    files: { "functions/node_modules/own/package.json": '{ "exports": { "./x/*": "./*.json" } }' },
    line: 1,
    says: BEYOND_PACKAGE,
  },
  {
    name: "exports of a whole path",
    files: ownPackage("", { exports: "/etc/hostname" }),
    line: 1,
    says: /the package does not export it/,
  },
  {
    name: "imports that lead out",
    code: importing("#s"),
    files: { "functions/package.json": '{ "imports": { "#s": "./../../outside/secret.json" } }' },
    line: 1,
    says: OUTSIDE,
  },
  {
    name: "imports of a whole path",
    code: importing("#s"),
    files: { "functions/package.json": '{ "imports": { "#s": "/etc/hostname" } }' },
    line: 1,
    says: NO_NAME,
  },
  {
    name: "imports that lead to the data directory",
    code: importing("#s"),
    files: {
      "package.json": '{ "imports": { "#*": "./*.json" } }',
      "functions/attack.ts": importing("#vault/service"),
    },
    line: 1,
    says: DATA,
  },
  {
    name: "a package.json that is a link to the data directory",
    code: importing("#s"),
    files: { "functions/package.json": { link: "vault/service.json" } },
    line: 1,
    says: /no package\.json defines it/,
  },
  {
    name: "a browser field that leads out",
    code: importing("./a.json"),
    files: { "functions/package.json": '{ "browser": { "./a.json": "../../outside/secret.json" } }' },
    line: 1,
    says: NO_FILE,
  },
  // Texts that would take long to scan.
  {
    name: "a name longer than any path",
    code: importing(`./${"node_modules/".repeat(400_000)}`),
    line: 1,
    says: /is longer than the path of any file/,
  },
  {
    name: "a short name that package.json makes very long",
    code: importing(`#x/${"a".repeat(200)}`),
    files: { "functions/package.json": JSON.stringify({ imports: { "#x/*": `./${"*".repeat(2_000_000)}` } }) },
    line: 1,
    says: /no package\.json defines it/,
  },
  // Files that the bundler would read on its own.
  {
    name: "paths of a tsconfig.json",
    code: importing("@/secret.json"),
    files: {
      "functions/tsconfig.json": '{ "compilerOptions": { "baseUrl": "..", "paths": { "@/*": ["../outside/*"] } } }',
    },
    line: 1,
    says: NO_NAME,
  },
  {
    name: "baseUrl of a tsconfig.json",
    code: importing("secret"),
    files: { "tsconfig.json": '{ "compilerOptions": { "baseUrl": "../outside" } }' },
    line: 1,
    says: NO_PACKAGE,
  },
  {
    name: "extends of a tsconfig.json",
    code: importing("q/secret.json"),
    files: {
      "functions/tsconfig.json": '{ "extends": "./more.json" }',
      "functions/more.json": '{ "compilerOptions": { "paths": { "q/*": ["../../outside/*"] } } }',
    },
    line: 1,
    says: NO_PACKAGE,
  },
  {
    name: "a manifest of Plug'n'Play",
    code: importing("plugged"),
    files: {
      ".pnp.data.json":
        '{ "packageRegistryData": [[null, [[null, { "packageLocation": "./", "packageDependencies": [["plugged", "1"]] }]]], ["plugged", [["1", { "packageLocation": "../outside/", "packageDependencies": [] }]]]] }',
    },
    line: 1,
    says: NO_PACKAGE,
  },
  // Neither code nor JSON.
  { name: "a text", code: importing("../notes.txt"), line: 1, says: NO_CODE },
  { name: "a file without extension", code: importing("../notes"), line: 1, says: NO_CODE },
  {
    name: "a text that a link calls JSON",
    code: importing("./n.json"),
    files: { "functions/n.json": { link: "notes.txt" } },
    line: 1,
    says: NO_CODE,
  },
  {
    name: "CSS, which can import too",
    code: 'import "./a.css";',
    files: { "functions/a.css": '@import "../../outside/secret.css"; a { b: url(../../outside/secret.txt) }' },
    line: 1,
    says: NO_CODE,
  },
  {
    name: "JSX, which imports what a comment says",
    code: 'import "./a.jsx";',
    files: { "functions/a.jsx": "/** @jsxImportSource ../../outside */ <a/>" },
    line: 1,
    says: NO_CODE,
  },
  { name: "a name with a question mark", code: importing("../lib/words.json?raw"), line: 1, says: NO_FILE },
  { name: "a name with a loader before it", code: importing("raw!../notes.txt"), line: 1, says: NO_PACKAGE },
  // Not a regular file, or too large.
  {
    name: "a pipe",
    code: importing("./p.json"),
    files: { "functions/p.json": { a: "pipe" } },
    line: 1,
    says: NOT_REGULAR,
  },
  {
    name: "a pipe, without the extension",
    code: importing("./p"),
    files: { "functions/p.ts": { a: "pipe" } },
    line: 1,
    says: NOT_REGULAR,
  },
  {
    name: "a folder named like a file",
    code: importing("./f.ts"),
    files: { "functions/f.ts": { a: "folder" } },
    line: 1,
    says: NOT_REGULAR,
  },
  {
    name: "/dev/zero by a link",
    code: importing("./z.json"),
    files: { "functions/z.json": { link: "/dev/zero" } },
    line: 1,
    says: OUTSIDE,
  },
  {
    name: "a pipe for package.json",
    code: importing("own"),
    files: { "functions/node_modules/own/package.json": { a: "pipe" } },
    line: 1,
    says: NO_PACKAGE,
  },
  {
    name: "/dev/zero for package.json",
    code: importing("own"),
    files: { "functions/node_modules/own/package.json": { link: "/dev/zero" } },
    line: 1,
    says: NO_PACKAGE,
  },
  {
    name: "more JSON than one file may have",
    code: importing("./large.json"),
    files: { "functions/large.json": { mebibytes: 17 } },
    line: 1,
    says: /"large\.json" is larger than 16 MiB/,
  },
  {
    name: "more JSON than all files may have",
    code: [1, 2, 3, 4, 5].map((n) => `export * from "./l${n}.json";`).join(""),
    files: Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`functions/l${n}.json`, { mebibytes: 15 }])),
    line: 1,
    says: /makes all imports together larger than 64 MiB/,
  },
  // The function's own file.
  {
    name: "a function that is a link to the data directory",
    files: { "functions/attack.ts": { link: "vault/functions/kept.js" } },
    line: null,
    says: DATA,
  },
  {
    name: "a function that is a link to a key",
    files: { "functions/attack.ts": { link: ".datarun/root-1.key" } },
    line: null,
    says: DATA,
  },
  {
    name: "a function that is a link out of the project",
    files: { "functions/attack.ts": { link: "../outside/secret.ts" } },
    line: null,
    says: OUTSIDE,
  },
  {
    name: "a function that is a second name of a key",
    files: { "functions/attack.ts": { sameAs: "vault/root-1.key" } },
    line: null,
    says: DATA,
  },
  { name: "a function that is a pipe", files: { "functions/attack.ts": { a: "pipe" } }, line: null, says: NOT_REGULAR },
  {
    name: "a function that is a folder",
    files: { "functions/attack.ts": { a: "folder" } },
    line: null,
    says: NOT_REGULAR,
  },
  {
    name: "a function that is a link to /dev/zero",
    files: { "functions/attack.ts": { link: "/dev/zero" } },
    line: null,
    says: OUTSIDE,
  },
];

/** These load, but what they import is missing at run time. */
export const HARMLESS: readonly Attack[] = [
  {
    name: "require under another name",
    code: running(
      '(() => { try { const r = require; return r("../vault/service.json"); } catch { return "nothing"; } })()',
    ),
  },
  {
    name: "a call of eval that imports",
    code: running('await (0, eval)("import(\'../vault/service.json\')").catch(() => "nothing")'),
  },
  { name: "import() of what an input says", code: running('await import(y + x).catch(() => "nothing")') },
  {
    name: "a package whose main leads out",
    files: ownPackage('module.exports = "mine"', { main: "../../../../outside/secret.json" }),
  },
  {
    name: "a package whose main is the data directory",
    files: ownPackage('module.exports = "mine"', { main: "../../../vault/service.json" }),
  },
  {
    name: "require of what an input says",
    code: running('(() => { try { return require(y + x); } catch { return "nothing"; } })()'),
  },
  {
    name: "import() with options that an input says",
    code: running('await import("../notes.txt", x).catch(() => "nothing")'),
  },
  {
    name: "require.resolve",
    code: running('(() => { try { return require.resolve("../vault/service.json"); } catch { return "nothing"; } })()'),
  },
  {
    name: "require.resolve of a pattern",
    code: running('(() => { try { return require.resolve("../vault/" + x); } catch { return "nothing"; } })()'),
  },
  {
    name: "an address beside the module",
    code: running(
      '(() => { try { return new URL("../vault/service.json", import.meta.url).href; } catch { return "nothing"; } })()',
    ),
  },
  {
    name: "import.meta",
    code: running("[import.meta.url, import.meta.dirname, import.meta.filename].filter(Boolean)"),
  },
  {
    name: "a worker",
    code: running(
      '(() => { try { return typeof new Worker(new URL("../vault/functions/kept.js", import.meta.url)); } catch { return "nothing"; } })()',
    ),
  },
  {
    name: "alternatives of package.json that multiply",
    code: running("1"),
    files: { "functions/package.json": JSON.stringify({ sideEffects: ["{a,b}".repeat(40)] }) },
  },
  {
    name: "asterisks of package.json that take for ever",
    code: importing(`./${"a".repeat(200)}.ts`),
    files: {
      "functions/package.json": JSON.stringify({ sideEffects: [`${"*a".repeat(60)}b`] }),
      [`functions/${"a".repeat(200)}.ts`]: "export default 1;",
    },
  },
  { name: "a map of sources", code: `${running("1")}\n//# sourceMappingURL=../../outside/secret.json` },
  {
    name: "a map of sources that names a source",
    code: `${running("1")}\n//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"sources":["../../outside/secret.ts"],"mappings":"AAAA"}')}`,
  },
  {
    name: "types from outside",
    code: `/// <reference path="../../outside/secret.ts" />\nimport type { Secret } from "${OUT}";\n${running("1 as Secret | 1")}`,
  },
  {
    name: "a text that looks like an import",
    code: running("\"import('../vault/' + x)\" + /require\\('\\.\\.\\/'/.source"),
  },
  {
    name: "a comment that looks like an import",
    code: `// import(\`../vault/\${x}\`)\n/* require("../vault/" + x) */\n${running("1")}`,
  },
  { name: "the name of a file in the bundle", code: running("new Error().stack"), files: {} },
  { name: "a JSX pragma in a file without JSX", code: `/** @jsxImportSource ../../outside */\n${running("1")}` },
  {
    name: "package.json as a pipe beside the function",
    code: importing("./a.ts"),
    files: { "functions/package.json": { a: "pipe" }, "functions/a.ts": "export default 1;" },
  },
  {
    name: "package.json as /dev/zero beside the function",
    code: importing("./a.ts"),
    files: { "functions/package.json": { link: "/dev/zero" }, "functions/a.ts": "export default 1;" },
  },
  {
    name: "tsconfig.json as a pipe",
    code: importing("./a.ts"),
    files: { "functions/tsconfig.json": { a: "pipe" }, "functions/a.ts": "export default 1;" },
  },
  {
    name: "a package whose pattern takes hidden files and links along",
    files: {
      ...ownPackage('module.exports = (x) => require("./d/" + x);'),
      "functions/node_modules/own/d/a.json": '"free"',
      "functions/node_modules/own/d/.b.json": '"SECRET"',
      "functions/node_modules/own/d/c.json": { link: "vault/service.json" },
      "functions/node_modules/own/d/e.txt": "SECRET",
    },
  },
];
