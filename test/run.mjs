// Runs the tests with Node's own runner on the carried Node: all of them, or those whose path contains one of the words
// given. Word `long` adds the suites that take minutes.
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
if (Number(process.versions.node.split(".")[0]) < 24) {
  const carried = `${root}node_modules/node-linux-${process.arch}/bin/node`;
  if (!existsSync(carried)) throw new Error("the tests need Node 24 or newer: run npm ci");
  process.exit(spawnSync(carried, process.argv.slice(1), { stdio: "inherit", cwd: root }).status ?? 1);
}

const words = process.argv.slice(2).filter((word) => word !== "long");
const long = process.argv.includes("long");
const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts", "catalog/**/*.test.ts", "bench/**/*.test.ts"], {
  cwd: root,
})
  .filter((file) => long || !file.startsWith("test/long/"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) throw new Error(`no test file has ${words.join(" or ")} in its path`);
const run = spawnSync(
  process.execPath,
  [
    "--no-node-snapshot",
    "--test",
    "--test-concurrency=2",
    `--test-timeout=${long ? 1_800_000 : 180_000}`,
    "--test-reporter=dot",
    "--test-reporter-destination=stderr",
    "--test-reporter=./test/summary.mjs",
    "--test-reporter-destination=stdout",
    ...files,
  ],
  {
    stdio: "inherit",
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: "", PATH: `${root}node_modules/.bin:${process.env.PATH}` },
  },
);
process.exit(run.status ?? 1);
