// Runs the tests with Node's own runner on the carried Node: all of them, or those whose path contains one of the words
// given. The black-box tests run on the embedded store and once more on PostgreSQL, and those of success on `datarun mock`. Word `long` adds the suites that take
// minutes.
import { spawn, spawnSync } from "node:child_process";
import fs, { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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

const words = process.argv.slice(2).filter((word) => word !== "long");
const long = process.argv.includes("long");
const files = fs
  .globSync(
    ["src", "console", "test", "catalog", "bench"].map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root },
  )
  .filter((file) => long || !file.startsWith("test/long/"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) throw new Error(`no test file has ${words.join(" or ")} in its path`);

const folder = mkdtempSync(join(tmpdir(), "datarun-tests-"));
const totals = { passed: 0, failed: 0, skipped: 0 };
try {
  await onPostgres(async (url) => {
    await run(files, { TEST_DATABASE_URL: url });
    const again = files.filter((file) => ON_BOTH_STORES.some((folder) => file.startsWith(folder)));
    if (again.length > 0) await run(again, { TEST_STORE: "postgres", TEST_DATABASE_URL: url });
    const mocked = files.filter((file) => ON_MOCK.has(file));
    if (mocked.length > 0) await run(mocked, { TEST_STORE: "mock" });
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const { passed, failed, skipped } = totals;
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** One run of the runner, added to the totals. */
async function run(chosen, env) {
  const totalsFile = join(folder, `totals-${env.TEST_STORE ?? "embedded"}.json`);
  const child = spawn(
    process.execPath,
    [
      "--no-node-snapshot",
      ...(long ? [] : ["--import", new URL("fixed-seed.mjs", import.meta.url).href]),
      "--test",
      // One more than the cores that it is meant for: a third of the files' time is waiting.
      "--test-concurrency=3",
      `--test-timeout=${long ? 1_800_000 : 600_000}`,
      "--test-reporter=dot",
      "--test-reporter-destination=stderr",
      "--test-reporter=./test/summary.mjs",
      "--test-reporter-destination=stdout",
      ...chosen,
    ],
    {
      stdio: "inherit",
      cwd: root,
      env: {
        ...process.env,
        NODE_OPTIONS: "",
        // Two hundred processes read the same modules.
        NODE_COMPILE_CACHE: join(root, ".cache", "compiled"),
        PATH: `${root}node_modules/.bin:${process.env.PATH}`,
        TEST_TOTALS_FILE: totalsFile,
        ...env,
      },
    },
  );
  const code = await new Promise((resolve) => child.on("close", resolve));
  const counted = existsSync(totalsFile) ? JSON.parse(readFileSync(totalsFile, "utf8")) : {};
  for (const name of Object.keys(totals)) totals[name] += counted[name] ?? 0;
  // A runner that ended badly has failed, even where every test that it counted had passed.
  if (code !== 0 && !(counted.failed > 0)) totals.failed += 1;
}

/** On the server that TEST_DATABASE_URL names, or on one of our own that ends with this. */
async function onPostgres(work) {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined) return await work(given);
  const { startPostgres } = await import("./postgres/start-postgres.ts");
  const server = await startPostgres();
  try {
    return await work(server.url("postgres"));
  } finally {
    await server.stop();
  }
}
