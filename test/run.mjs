// Runs the tests on the bundled Node. The words of the command line are either a suite (`quick`, `all`, `long`; `ordinary`
// unless one is named), `costs`, which adds a table of what each folder and file took, or parts of paths, which choose
// files of every suite but `long`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { costsOf } from "./runner/costs-of.mjs";
import { readDurations, writeDurations } from "./runner/durations.mjs";
import { planJobs } from "./runner/plan-jobs.mjs";
import { createProgress, duration } from "./runner/progress.mjs";
import { runFiles } from "./runner/run-files.mjs";
import { storesOf, suiteOf, SUITES } from "./runner/suites.mjs";
import { makeTemporaryFolder } from "./runner/temporary-folder.mjs";

const SLOWEST_SHOWN = 10;

const root = fileURLToPath(new URL("..", import.meta.url));
if (Number(process.versions.node.split(".")[0]) < 24) {
  const bundled = `${root}node_modules/node-linux-${process.arch}/bin/node`;
  if (!existsSync(bundled)) throw new Error("the tests need Node 24 or newer: run npm ci");
  const child = spawn(bundled, process.argv.slice(1), { stdio: "inherit", cwd: root });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, "exit");
  process.exit(code ?? 1);
}

const startedAt = performance.now();
const given = process.argv.slice(2);
const named = given.find((word) => SUITES.includes(word));
const withCosts = given.includes("costs");
const words = given.filter((word) => !SUITES.includes(word) && word !== "costs");
const suite = named ?? (words.length > 0 ? "all" : "ordinary");
const usual = readDurations();
const files = fs
  .globSync(
    ["src", "console", "test", "catalog", "bench"].map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root },
  )
  .filter((file) => SUITES.indexOf(suiteOf(file, usual)) <= SUITES.indexOf(suite))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted();
if (files.length === 0) throw new Error(`no test file has ${words.join(" or ")} in its path`);

// What takes minutes may also take more room than there is in memory.
const folder = makeTemporaryFolder({ inMemory: suite !== "long" });
try {
  const { passed, failed, skipped, costs } = await onTemplates(run);
  if (withCosts) {
    process.stdout.write(`\n${costsOf(costs)}`);
    writeDurations(costs, (file) => existsSync(join(root, file)));
  }
  const slowest = costs.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  process.stdout.write(`\nslowest files, in seconds:\n`);
  for (const { file, note, seconds } of slowest)
    process.stdout.write(`${seconds.toFixed(1).padStart(7)}  ${file}${note}\n`);
  process.stdout.write(`\n${duration(Math.round((performance.now() - startedAt) / 1000))}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(environment) {
  const ON = {
    embedded: { env: environment, note: "" },
    postgres: { env: { ...environment, TEST_STORE: "postgres" }, note: " (on PostgreSQL)" },
    mock: { env: { TEST_STORE: "mock" }, note: " (on the mock)" },
  };
  const jobs = planJobs(
    files.flatMap((file) => storesOf(file, suite).map((store) => ({ file, ...ON[store] }))),
    usual,
  );
  // More than there are processors, because a good part of the files' time is waiting.
  const places = suite === "long" ? 3 : availableParallelism() + 2;
  const progress = createProgress({ jobs, places, usual });
  try {
    const seed = suite === "long" ? "any" : "fixed";
    return await runFiles(jobs, { root, folder, places, usual, seed, onFile: progress.onFile });
  } finally {
    progress.end();
  }
}

/** With an empty store of either kind, of which the tests use copies; PostgreSQL's on the server that TEST_DATABASE_URL names, or on one that ends with this. */
async function onTemplates(work) {
  const { startPostgres } = await import("./postgres/start-postgres.ts");
  const { makeStoreTemplate } = await import("./postgres/store-template.ts");
  const { makeEmbeddedTemplate } = await import("./rig/embedded-template.ts");
  const database = process.env.TEST_DATABASE_URL;
  const server = database === undefined ? await startPostgres() : null;
  const url = database ?? server.url("postgres");
  try {
    const template = await makeStoreTemplate(url);
    try {
      return await work({
        TEST_DATABASE_URL: url,
        TEST_STORE_TEMPLATE: template.name,
        TEST_EMBEDDED_TEMPLATE: await makeEmbeddedTemplate(folder),
      });
    } finally {
      await template.drop();
    }
  } finally {
    await server?.stop();
  }
}
