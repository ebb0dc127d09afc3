// Runs the tests on the carried Node: all of them, or those whose path contains one of the words given. The black-box
// tests run on the embedded store and once more on PostgreSQL, and those of success on `datarun mock`. Word `long` adds
// the suites that take minutes, and word `costs` a table of what each folder and file took.
import { spawnSync } from "node:child_process";
import fs, { existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { costsOf } from "./runner/costs-of.mjs";
import { runFiles } from "./runner/run-files.mjs";
import { makeTemporaryFolder } from "./runner/temporary-folder.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
if (Number(process.versions.node.split(".")[0]) < 24) {
  const carried = `${root}node_modules/node-linux-${process.arch}/bin/node`;
  if (!existsSync(carried)) throw new Error("the tests need Node 24 or newer: run npm ci");
  process.exit(spawnSync(carried, process.argv.slice(1), { stdio: "inherit", cwd: root }).status ?? 1);
}

/** The suites that ask the whole service from outside, by endpoint, which start it on whichever store TEST_STORE names. What test/http asks never comes to a store. */
const { paths } = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
const ON_BOTH_STORES = [...Object.keys(paths), "/admin"].map((path) => `test${path}/`);
/** Success is the same of the service and of `datarun mock`. */
const ON_MOCK = new Set(Object.keys(paths).map((path) => `test${path}/200.test.ts`));

/** These begin first, so that none of them is what all others' places wait for at the end. `costs` tells which they are. */
const LONGEST = [
  "test/console/security.test.ts",
  "test/ledger/shared.test.ts",
  "test/budgets/crash.test.ts",
  "test/package/package.test.ts",
  "src/functions/blame.test.ts",
  "src/functions/shares.test.ts",
  "src/storage/store.test.ts",
];
/** What these look at also depends on how a browser and the kernel share two busy cores. If one fails, it runs again by itself. */
const TIMED = ["test/console/", "src/functions/"];
const MODES = ["long", "costs"];

const words = process.argv.slice(2).filter((word) => !MODES.includes(word));
const [long, withCosts] = MODES.map((mode) => process.argv.includes(mode));
const files = fs
  .globSync(
    ["src", "console", "test", "catalog", "bench"].map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root },
  )
  .filter((file) => long || !file.startsWith("test/long/"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
if (files.length === 0) throw new Error(`no test file has ${words.join(" or ")} in its path`);

// What takes minutes may also take more room than there is in memory.
const folder = makeTemporaryFolder({ inMemory: !long });
const costs = join(folder, "costs.jsonl");
try {
  const { passed, failed, skipped, again } = await onPostgres(runAll);
  if (withCosts) process.stdout.write(`\n${costsOf(costs, root)}`);
  if (again > 0) process.stdout.write(`\nfiles that failed and ran a second time: ${again}\n`);
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** On all that they run on, in one go: no place is free before the end. */
function runAll(given) {
  const embedded = files.map((file) => ({ file, env: given }));
  const again = files
    .filter((file) => ON_BOTH_STORES.some((folder) => file.startsWith(folder)))
    .map((file) => ({ file, env: { ...given, TEST_STORE: "postgres" }, note: " (on PostgreSQL)" }));
  const mocked = files
    .filter((file) => ON_MOCK.has(file))
    .map((file) => ({ file, env: { TEST_STORE: "mock" }, note: " (on the mock)" }));
  const isTimed = ({ file }) => TIMED.some((folder) => file.startsWith(folder));
  const all = [...embedded, ...again, ...mocked].map((one) => ({ ...one, isTimed: isTimed(one) }));
  return runFiles(all, {
    root,
    folder,
    // More than there are cores, because a good part of the files' time is waiting.
    places: long ? 3 : availableParallelism() + 2,
    timeoutMs: long ? 1_800_000 : 600_000,
    seed: long ? "any" : "fixed",
    costs: withCosts ? costs : undefined,
  });
}

function rank(file) {
  const at = LONGEST.indexOf(file);
  return at < 0 ? LONGEST.length : at;
}

/** On the server that TEST_DATABASE_URL names, or on one of our own that ends with this. */
async function onPostgres(work) {
  const { startPostgres } = await import("./postgres/start-postgres.ts");
  const { makeStoreTemplate } = await import("./postgres/store-template.ts");
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined ? await startPostgres() : null;
  const url = given ?? server.url("postgres");
  try {
    const template = await makeStoreTemplate(url);
    try {
      return await work({ TEST_DATABASE_URL: url, TEST_STORE_TEMPLATE: template.name });
    } finally {
      await template.drop();
    }
  } finally {
    await server?.stop();
  }
}
