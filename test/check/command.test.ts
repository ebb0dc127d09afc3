import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newDatabase } from "../postgres/shared-postgres.ts";
import { CHECKS, type CheckFinding } from "../../src/composition/commands/check/findings.ts";
import { startCommand } from "../rig/command.ts";
import { command, type Environment, verb } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { issueCertificate } from "../vendor/certificate.ts";
import { sourceText, write } from "./fixtures.ts";
import { check, place } from "./place.ts";

interface Printed {
  readonly ok: boolean;
  readonly findings: readonly CheckFinding[];
  readonly ignored: number;
  readonly facts: Readonly<Record<string, string | number>>;
}

/** The tests may be on any disk, and in memory. */
const DISK_IGNORED = ["data_dir.slow", "data_dir.in_memory"].flatMap((code) => ["--ignore", code]);

function checked(env: Environment, ...args: string[]): Printed & { readonly code: number | null } {
  const { code, stdout } = command(env, "check", "--json", ...DISK_IGNORED, ...args);
  assert.equal(stdout.split("\n").length, 2, "one line");
  return { code, ...(JSON.parse(stdout) as Printed) };
}

function pathsIn(folder: string): readonly string[] {
  return globSync("**", { cwd: folder }).sort();
}

test("the exit code says whether anything was found that is not ignored", (t) => {
  const files = {
    "datarun.config.mjs": `export default { catalog: ["none__*"] };`,
    "functions/own.cases.json": `[{ "name": "any", "inputs": {}, "expect": { "success": true } }]`,
    "functions/own.mjs": `export default { id: "dfunc_own", title: "Own", run: async () => ({ output: {} }) };`,
  };
  const folder = project(t, files);
  const env = { DATARUN_PROJECT: folder, DATARUN_DATA_DIR: join(folder, "data") };
  mkdirSync(env.DATARUN_DATA_DIR);
  const found = checked(env);
  assert.deepEqual([found.code, found.ok], [1, false]);
  assert.deepEqual(
    found.findings.map(({ code }) => code),
    ["catalog.names_nothing"],
  );
  assert.equal(found.findings[0]!.hint, CHECKS["catalog.names_nothing"].hint);
  const ignored = checked(env, "--ignore", "catalog.names_nothing");
  assert.deepEqual([ignored.code, ignored.ok, ignored.ignored], [0, true, found.ignored + 1]);
  const unknown = command(env, "check", "--ignore", "no.such_code");
  assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  assert.match(unknown.stderr, /^--ignore must be a code of a finding/);
  assert.deepEqual(pathsIn(folder), [".", "data", "functions", ...Object.keys(files)].sort());
});

test("a file that fails after it was loaded is found, in the words of a start", (t) => {
  const folder = project(t, {
    "sources/a.mjs": `setImmediate(() => { throw new Error("too late"); });\n${sourceText("acme__a")}`,
  });
  const env = { DATARUN_PROJECT: folder, DATARUN_DATA_DIR: join(folder, "data") };
  const { code, findings } = checked(env);
  assert.deepEqual([code, findings.map((finding) => finding.code)], [1, ["project.failed_afterwards"]]);
  const started = command(env, "start", "--port", "0", "--admin-port", "0");
  assert.equal(started.stderr, `datarun cannot start: ${findings[0]!.says}\n`);
});

test("a file that ends the process, or keeps it, ends or keeps no check", (t) => {
  const folder = project(t, {
    "sources/a.mjs": `setInterval(() => {}, 1000);\n${sourceText("acme__a")}`,
    "sources/b.mjs": `process.exit(0);`,
  });
  const { code, findings } = checked({ DATARUN_PROJECT: folder, DATARUN_DATA_DIR: join(folder, "data") });
  assert.equal(code, 1);
  assert.match(findings[0]!.says, /b\.mjs.*process\.exit was called/s);
});

test("beside a running service nothing is found, made or changed, and the service is named", async (t) => {
  const folder = project(t, { "sources/a.mjs": sourceText("acme__a") });
  const dataDir = join(folder, "data");
  const env = { DATARUN_PROJECT: folder, DATARUN_DATA_DIR: dataDir };
  const service = await startCommand(t, [], env);
  verb(env, "operator", "create", "ada", "--role", "owner");
  const before = pathsIn(folder);
  const { code, facts, findings } = checked(env, "--production", "--ignore", "production.old_data");
  assert.deepEqual([code, findings.map((finding) => finding.code)], [1, ["production.root_key_beside_data"]]);
  assert.equal(facts["service"], `runs at ${service.url}`);
  assert.equal(facts["store"], "embedded");
  assert.deepEqual(pathsIn(folder), before);
});

test("a connection is opened to each origin once, by the rules of calls, and nothing is sent", async (t) => {
  const [plain, secure] = [
    await startVendor(t),
    await startVendor(t, { tls: issueCertificate({ names: ["localhost"] }) }),
  ];
  const { options, project: folder } = place(t, { connect: true });
  write(folder, {
    "sources/a.mjs": sourceText("acme__a", `origins: ["${plain.origin}", "https://*.acme.example"],`),
    "sources/b.mjs": sourceText("acme__b", `origins: ["${plain.origin}"],`),
    "sources/c.mjs": sourceText("acme__c", `origins: ["https://localhost:${secure.port}"],`),
  });
  const findings = await check(options);
  assert.deepEqual(
    findings.map(({ says }) => says),
    [`https://localhost:${secure.port}: no secure connection (DEPTH_ZERO_SELF_SIGNED_CERT)`],
  );
  assert.deepEqual([plain.connections, plain.requests.length, secure.requests.length], [1, 0, 0]);
});

test("a shared database is looked at and nothing is made in it", async (t) => {
  const folder = project(t, {});
  const env = {
    DATARUN_PROJECT: folder,
    DATARUN_DATA_DIR: join(folder, "data"),
    DATABASE_URL: await newDatabase(t),
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
  };
  const ignored = ["data_dir.slow", "production.endless_tokens", "production.old_data"];
  const look = () => checked(env, "--production", ...ignored.flatMap((code) => ["--ignore", code]));
  for (let time = 0; time < 2; time += 1) {
    const { findings, facts } = look();
    assert.deepEqual(
      findings.map(({ code }) => code),
      ["production.no_operator"],
    );
    assert.equal(facts["store"], "shared, none yet: the first start creates it");
  }
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  verb(env, "token", "create", "--org", org);
  verb(env, "operator", "create", "ada", "--role", "owner");
  const last = look();
  assert.deepEqual([last.findings, last.facts["store"], last.ignored >= 1], [[], "shared", true]);
});
