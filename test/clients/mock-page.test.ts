import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { MAGIC } from "../../src/simulation/magic-inputs.ts";
import { mockCommand } from "../rig/mock-command.ts";
import { blocksOf } from "../rig/page-reader.ts";
import { project } from "../start/project-folder.ts";
import { followPage, freePorts } from "./follow-page.ts";

const PAGE = "docs/guides/mock.md";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const text = readFileSync(join(ROOT, PAGE), "utf8");

test("every command of the page prints what the page shows, and the mock that the page stops is gone", async (t) => {
  const folder = project(t, {});
  const isThere = (file: string) => {
    const { admin_url } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { readonly admin_url: string };
    return fetch(`${admin_url}/live`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  const afterwards = async () =>
    assert.deepEqual(
      { first: await isThere("mock.json"), other: await isThere("other.json") },
      { first: true, other: false },
    );
  const compared = await followPage(t, PAGE, { folder, ports: await freePorts(), afterwards });
  assert.equal(compared, 6);
});

test("the page names every failure, and the ports that are the command's own", () => {
  for (const failure of MAGIC) assert.ok(text.includes(`\`${failure}\``), failure);
  const commands = readFileSync(join(ROOT, "docs/reference/commands.md"), "utf8");
  for (const port of ["8070", "8071"]) assert.match(commands, new RegExp(`${port} by default`));
});

interface Workflow {
  readonly jobs: { readonly test: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } };
}

test("the recipe for GitHub Actions starts a mock and goes on when it is ready", async (t) => {
  const recipe = blocksOf(PAGE).find(({ text }) => text.includes("actions/checkout"))!;
  const { run } = (parse(recipe.text) as Workflow).jobs.test.steps.find(({ name }) => name === "Start the mock")!;
  const folder = project(t, {});
  symlinkSync(ROOT, join(folder, "datarun"));
  const [port, adminPort] = await freePorts();
  const own = run!.replace(" mock >", ` mock --port ${port} --admin-port ${adminPort} >`);
  assert.notEqual(own, run);
  // A step is over when its shell is; what it has left running goes on.
  const asked = `curl -s http://127.0.0.1:${adminPort}/ready; kill $!`;
  const { status, stdout, stderr } = spawnSync("bash", ["-e", "-c", `${own}\n${asked}`], { cwd: folder });
  assert.deepEqual([status, JSON.parse(String(stdout)).status], [0, "OK"], String(stderr));
});

test("the recipes for containers start a mock with the command that they name, and wait for a path that is there", async (t) => {
  const commands = [...text.matchAll(/\[("mock", [^\]]*)\]/g)].map(([list]) => JSON.parse(list) as string[]);
  assert.equal(commands.length, 2);
  for (const [name, ...args] of commands) {
    assert.equal(name, "mock");
    const here = args.map((word) => (word === "0.0.0.0" ? "127.0.0.1" : word === "8080" ? "0" : word));
    const mock = await mockCommand(t, [...here, "--admin-port", "0"]);
    assert.ok(mock.ready !== null, mock.err());
    const [, path] = /Wait\.forHttp\("([^"]+)", 8081\)/.exec(text)!;
    assert.equal((await fetch(mock.ready.admin_url + path!)).status, 200);
  }
});
