import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { STORE_FILE } from "../../src/storage/sqlite/engine.ts";
import { terminal } from "./terminal.ts";

test("every verb has help with its options, what they mean, and an example that parses", async (t) => {
  const { run, dataDir } = terminal(t);
  const verbs = findVerbs();
  assert.ok(verbs.names.length >= 17);
  // An example may name a file that it writes.
  const before = process.cwd();
  process.chdir(dirname(dataDir));
  t.after(() => process.chdir(before));
  for (const name of verbs.names) {
    const verb = await verbs.load(name);
    const { code, stdout, stderr } = await run([...name.split(" "), "--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.startsWith(`${verb.summary}.\n`), name);
    assert.ok(stdout.includes(`Example:\n  datarun ${name} ${verb.example}\n`), name);
    assert.equal(/^ {2}--remote /m.test(stdout), verb.terminalOnly !== true, name);
    for (const line of stdout.split("\n"))
      assert.ok(line.length <= (line.startsWith("  datarun ") ? 200 : 96), `${name}: ${line}`);
    assert.doesNotMatch(stdout, /^ {50}/m, name);
    for (const [property, schema] of Object.entries(verb.input.properties)) {
      assert.ok((schema as { description?: string }).description, `${name}: ${property} has no description`);
    }
    const words = [...verb.example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
    const tried = await run([...name.split(" "), ...words], { env: { CH_API_KEY: "x" } });
    assert.notEqual(tried.code, 2, `${name} ${verb.example}: ${tried.stderr}`);
  }
  assert.ok(existsSync(dataDir));
});

test("help alone opens and makes nothing", async (t) => {
  const { run, dataDir } = terminal(t);
  for (const args of [
    ["--help"],
    ["help"],
    ["token", "--help"],
    ["token", "create", "--help"],
    ["token", "create", "-h"],
  ]) {
    const printed = await run(args);
    assert.equal(printed.code, 0);
    assert.match(printed.stdout, /Usage: datarun/);
  }
  assert.match((await run(["--help"])).stdout, /^ {2}start .*Start the service$/m);
  assert.equal(existsSync(dataDir), false);
});

const misunderstood: readonly [string, RegExp][] = [
  ["", /Usage: datarun COMMAND/],
  ["token", /Usage: datarun token COMMAND[\s\S]*token create/],
  ["tokne create", /Unknown command "tokne"\. Did you mean .*token/],
  ["token craete", /Unknown command "token craete"\. Did you mean .*token create/],
  ["org lsit", /Unknown command "org lsit"\. Did you mean org list, org create, .* or org rename\?\n?$/],
  ["strat", /Did you mean start/],
  ["--json org list", /command first/],
  ["org create", /NAME is required\.\nUsage: datarun org create NAME/],
  ["org create --name Acme", /NAME is an argument of this command, not an option: give it without --name\.\nUsage/],
  ["workflow create onboarding --org org_1", /no argument besides its options\. A name is given with --name NAME\./],
  ["org create one two", /too many arguments: the command takes only NAME besides its options\. Put quotes/],
  ["token create", /--org is required\.\nUsage: datarun token create --org ORG \[--name NAME\]/],
  ["token create --org", /--org needs a value/],
  ["token create --org --name x", /--org needs a value\. Write a value that starts with a dash as --org=/],
  ["token create --org acme", /--org must be the id of an organization/],
  ["token create --org org_1 --org org_2", /--org may be given only once/],
  ["token create --org org_1 --expires-in soon", /--expires-in must be a number and a unit, such as 90d/],
  ["token create --org org_1 --expires-in 0d", /--expires-in must be/],
  ["token create --org org_1 --expire-in 1d", /Unknown option --expire-in\. Did you mean --expires-in/],
  ["audit list --limit many", /--limit must be an integer/],
  ["audit list --limit 0", /--limit must be at least 1/],
  ["workflow create --org org_1 --no-json", /Unknown option --no-json/],
];
for (const [command, says] of misunderstood) {
  test(`"datarun ${command}" is not understood, says what is wrong and makes nothing`, async (t) => {
    const { run, dataDir } = terminal(t);
    const args = command === "" ? [] : command.split(" ");
    const printed = await run(args);
    assert.equal(printed.code, 2);
    if (!args.includes("--json")) assert.equal(printed.stdout, "");
    assert.match(printed.stderr, says);

    const inJson = await run([...args, "--json"]);
    assert.equal(inJson.code, 2);
    const body = JSON.parse(inJson.stdout) as { error: { code: string; message: string } };
    assert.equal(body.error.code, "usage");
    assert.match(body.error.message, says);
    assert.equal(existsSync(dataDir), false);
  });
}

test("a command that runs until it is stopped has help like any other, and misunderstands in the same words", async (t) => {
  const { run } = terminal(t);
  const ends: readonly [string, number, RegExp][] = [
    [
      "start --help",
      0,
      /^Start the service\.\n\nUsage: datarun start \[OPTIONS\]\n[\s\S]* {2}--port NUMBER +Public port/,
    ],
    ["dev -h", 0, /^Start the service with reload/],
    [
      "simulate --help",
      0,
      /Usage: datarun simulate \[--project DIR\] \[--port N\]\n[\s\S]*Example:\n {2}datarun simulate /,
    ],
    ["start --prot 1", 2, /^Unknown option --prot\. Did you mean --port/],
    ["start --port", 2, /^--port needs a value\.\nUsage: datarun start \[OPTIONS\]\n$/],
    ["simulate --port 0 --port lots", 2, /^--port must be from 0 to 65535\./],
    ["dev now", 2, /too many arguments: the command takes no argument besides its options/],
    ["simulate --port lots", 2, /^--port must be from 0 to 65535\.\nUsage: datarun simulate/],
    ["simulate --json", 2, /^Unknown option --json/],
  ];
  for (const [line, code, says] of ends) {
    const ended = await run(line.split(" "));
    assert.equal(ended.code, code, line);
    assert.match(code === 0 ? ended.stdout : ended.stderr, says, line);
  }
});

test("results for people are aligned, and no name has power over the terminal", async (t) => {
  const { run, dataDir } = terminal(t);
  await run(["org", "create", "Söhne"]);
  await run(["org", "create", "Acme"]);
  assert.equal((await run(["org", "create", "Söhne \u202eevil\u200b"])).code, 2);
  // A store may have names from before such characters were refused.
  const store = new DatabaseSync(join(dataDir, STORE_FILE));
  store.prepare("UPDATE organizations SET name = ? WHERE name = 'Söhne'").run("Söhne \u202eevil\u200b");
  store.close();
  const { stdout } = await run(["org", "list"]);
  const [head, ...rows] = stdout.trimEnd().split("\n");
  assert.match(head!, /^ORGANIZATION TUID +NAME +DISABLED +CREATED AT$/);
  assert.equal(rows.length, 2);
  const column = head!.indexOf("CREATED AT");
  for (const row of rows) assert.match(row.slice(column), /^\d{4}-\d\d-\d\dT/);
  for (const line of stdout.split("\n")) assert.doesNotMatch(line, /\p{C}/u);
  assert.match((await run(["audit", "list", "--org", "org_none"])).stdout, /^no entries\n$/);
});

test("a store that cannot be opened is a sentence and exit code 1", async (t) => {
  const { run, dataDir } = terminal(t);
  await run(["org", "create", "Acme"]);
  const printed = await run(["org", "list", "--data-dir", `${dataDir}/store.sqlite`]);
  assert.equal(printed.code, 1);
  assert.match(printed.stderr, /^The store in .* cannot be opened: /);
});

test("an unexpected error shows its text only on request", async (t) => {
  const { run } = terminal(t);
  const printed = await run(["org", "list", "--data-dir", "\u0000canary"]);
  assert.equal(printed.code, 1);
  assert.doesNotMatch(printed.stderr, /\n\s+at /);
});

test("a reader that goes away ends a command quietly", async (t) => {
  const { dataDir, run } = terminal(t);
  await run(["org", "create", "Acme"]);
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    const { runCli } = await import(${module("../../src/admin/cli/run-cli.ts")});
    const { commandsOn } = await import(${module("./terminal.ts")});
    const { stdin, stdout, stderr, env } = process;
    await new Promise((resolve) => process.once("message", resolve));
    process.exitCode = await runCli(["org", "list"], { stdin, stdout, stderr, env }, commandsOn(${JSON.stringify(dataDir)}));
    process.disconnect();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let complaints = "";
  child.stderr!.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdout!.destroy();
  await once(child.stdout!, "close");
  child.send("go");
  const [code] = (await once(child, "exit")) as [number];
  assert.deepEqual([code, complaints], [0, ""]);
});

test("--version says what is installed", async (t) => {
  const { run } = terminal(t);
  assert.deepEqual(await run(["--version"]), { code: 0, stdout: "datarun v1.2.3\n", stderr: "" });
  assert.equal((await run(["--version", "--json"])).stdout, '{"version":"v1.2.3"}\n');
});
