import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { project } from "./project-folder.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

/** `datarun simulate` in a process of its own; resolves when it has printed the last vendor, or has ended. */
async function simulate(t: TestContext, args: readonly string[]) {
  const child = spawn(process.execPath, [LAUNCHER, "simulate", ...args], { env: { PATH: process.env["PATH"] } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (err += text.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  t.after(() => child.kill("SIGKILL"));
  const listed = new Promise<void>((resolve) => {
    child.stdout.on("data", () => / {2}vpic\.nhtsa\.dot\.gov .*\n/.test(out) && resolve());
  });
  await Promise.race([listed, ended]);
  return { out: () => out, err: () => err, ended, stop: () => child.kill("SIGTERM") };
}

const text = `id: acme__company
title: Company
inputs: {type: object, required: [number], properties: {number: {type: string}}}
origins: ['https://api.acme.example']
request: {url: 'https://api.acme.example/companies/{{ inputs.number }}'}
match: {record: status == \`200\`, no_record: status == \`404\`}
cases:
  - {name: found, inputs: {number: '7'}, reply: {body: {name: EXAMPLE}}, expect: {match: true}}
`;

test("simulate simulates the vendors of catalog and project for any client, and ends with 0 on a signal", async (t) => {
  const simulated = await simulate(t, ["--port", "0", "--project", project(t, { "sources/company.yaml": text })]);
  const base = /^ {2}api\.acme\.example +(http:\S+)$/m.exec(simulated.out())?.[1];
  assert.ok(base !== undefined, simulated.out() + simulated.err());
  const reply = await fetch(`${base}/companies/7`);
  assert.deepEqual([reply.status, await reply.json()], [200, { name: "EXAMPLE" }]);
  const limited = await fetch(`${base}/companies/7`, { headers: { "x-datarun-simulate": "rate_limited" } });
  assert.equal(limited.status, 429);
  assert.ok(!simulated.out().includes("169.254"), "what no source declares is not played");
  simulated.stop();
  assert.equal(await simulated.ended, 0);
});

test("simulate says what is wrong with its command line, and ends with 2", async (t) => {
  const simulated = await simulate(t, ["--port", "lots"]);
  assert.equal(await simulated.ended, 2);
  assert.match(simulated.err(), /--port must be from 0 to 65535/);
});
