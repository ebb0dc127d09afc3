import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { findVerbs } from "../find-verbs.ts";
import { asTyped, deploymentIn, programOn } from "./typed-commands.ts";

test("commands are shown as they are typed here, and prose stays", () => {
  for (const [text, shown] of [
    ["datarun keys verify", "npx datarun keys verify"],
    ['"datarun org list" shows those that exist.', '"npx datarun org list" shows those that exist.'],
    ["Make one with: datarun org create NAME", "Make one with: npx datarun org create NAME"],
    ["`datarun start --help` lists them.", "`npx datarun start --help` lists them."],
    ["Example:\n  datarun org list", "Example:\n  npx datarun org list"],
    ["datarun cannot start: datarun keys adopt", "datarun cannot start: npx datarun keys adopt"],
    ["datarun mock cannot start: port: in use", "datarun mock cannot start: port: in use"],
    ["datarun: one request asks many vendors", "datarun: one request asks many vendors"],
    ["Give datarun a database of its own.", "Give datarun a database of its own."],
    ["datarun.config.ts is broken", "datarun.config.ts is broken"],
  ] as const)
    assert.equal(
      asTyped(text, () => "npx datarun"),
      shown,
    );
});

test("every command that a message of the service names is found", () => {
  const first = ["start", "dev", "check", "mock", ...new Set(findVerbs().names.map((name) => name.split(" ")[0]!))];
  const command = new RegExp(`\\bdatarun (?:${first.join("|")})\\b`);
  const lines = globSync("src/**/*.ts", { exclude: (path) => /\.(test|kit)\.ts$/.test(path) })
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => !/^\s*(\/\/|\/?\*)|datarun mock cannot/.test(line) && command.test(line));
  assert.ok(lines.length > 50);
  const missed = lines.filter((line) => command.test(asTyped(line, () => "X")));
  assert.deepEqual(missed, []);
});

test("options that name a deployment become variables, each as one word of a shell", () => {
  assert.equal(programOn("npx datarun", {}), "npx datarun");
  assert.equal(
    programOn("npx datarun", { dataDir: "../my data", project: "it's", remote: "https://admin.acme.example" }),
    "DATARUN_PROJECT='it'\\''s' DATARUN_DATA_DIR='../my data' DATARUN_REMOTE=https://admin.acme.example npx datarun",
  );
});

test("the options are found as they are written on a command line", () => {
  const words = "org list --data-dir ../data --project=p --json";
  assert.deepEqual(deploymentIn(words.split(" ")), { dataDir: "../data", project: "p", remote: undefined });
});
