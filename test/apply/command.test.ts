import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createLog } from "../../src/operate/log.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { start, type RunningService } from "../../src/composition/start.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { LAUNCHER } from "../start/operator-verb.ts";
import type { Printed } from "../rig/verb-worker.ts";

const folder = mkdtempSync(join(tmpdir(), "datarun-apply-"));
const file = join(folder, "state.yaml");
const env: Record<string, string> = { PATH: process.env["PATH"]!, DATARUN_DATA_DIR: join(folder, "data") };
const leftovers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
let running: RunningService;

/** In a process of its own, as in a pipeline; the service is in this one. */
function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Printed> {
  return new Promise((resolve) => {
    execFile(process.execPath, [LAUNCHER, ...args], { env: { ...env, ...more } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await run([...args, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

const apply = (...args: string[]) =>
  run(["apply", ...args], { DATARUN_OPERATOR_TOKEN: token, CH_KEY: "a-secret-value" });
let token = "";
let remote: string[] = [];

before(async () => {
  if (process.env["TEST_STORE"] === "postgres") {
    env["DATABASE_URL"] = await newStoreDatabase({ after: (drop) => leftovers.push(drop) });
    env["DATARUN_ROOT_KEY"] = randomBytes(32).toString("base64");
  }
  running = await start({
    settings: readSettings({ options: { port: "0", "admin-port": "0" }, environment: env }),
    printDemo: () => {},
    log: createLog("warn", join(folder, "log")),
  });
  leftovers.unshift(() => running.close());
  token = (await json("operator", "create", "pipeline", "--role", "owner")).operator_token;
  remote = ["--remote", running.adminUrl];
});
after(async () => {
  for (const remove of leftovers) await remove();
});

const STATE = `version: 1
organizations:
  - key: acme
    name: Acme Lending
    workflows:
      - key: onboarding
        auto_credentials: true
    credentials:
      - key: register
        source: companies_house__company_profile
        fields: { api_key: "\${env:CH_KEY}" }
    tokens:
      - key: back-end
    budgets:
      - { key: monthly, workflow: onboarding, per: month, calls: 1000 }
operators:
  - { key: grace, name: grace, role: viewer }
`;

test("apply makes what the file describes, from afar as here, with exit codes for plans, and a secret is nowhere", async () => {
  writeFileSync(file, STATE);
  const planned = await apply("-f", file, "--plan", ...remote);
  assert.equal(planned.code, 2, planned.stderr);
  assert.match(planned.stdout, /^\+ create organization acme\n {4}name: Acme Lending\n/);

  const tokens = join(folder, "tokens");
  const made = await apply("-f", file, "--tokens-out", tokens, ...remote);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /\n6 changes are made\.\n$/);
  assert.equal(statSync(tokens).mode & 0o777, 0o600);
  const issued = readFileSync(tokens, "utf8").trimEnd().split("\n");
  assert.deepEqual(
    issued.map((line) => JSON.parse(line).object),
    ["acme/back-end", "grace"],
  );
  for (const line of issued) assert.ok(!made.stdout.includes(JSON.parse(line).token));
  assert.doesNotMatch(planned.stdout + made.stdout, /a-secret-value|drt_|dop_/);

  for (const place of [remote, []]) {
    const again = await apply("-f", file, "--plan", "--prune", ...place);
    assert.deepEqual([again.code, again.stdout], [0, "Nothing to do.\n"], again.stderr);
  }
  const exported = await run(["state", "export", ...remote], { DATARUN_OPERATOR_TOKEN: token });
  assert.doesNotMatch(exported.stdout, /a-secret-value|drt_|dop_/);
  const copy = join(folder, "exported.yaml");
  writeFileSync(copy, exported.stdout);
  assert.equal((await apply("-f", copy, "--plan", "--prune", ...remote)).code, 0);

  const { file_digest } = JSON.parse((await apply("-f", file, "--plan", "--json")).stdout);
  const { entries } = await json("audit", "list", "--what", "workflow create");
  assert.equal(entries[0].detail.state_file, file_digest);
  assert.deepEqual([entries[0].who, entries[0].via], ["pipeline", "api"]);
});

test("a plan without a store says that everything would be new, and makes none", async () => {
  writeFileSync(file, STATE);
  const none = join(folder, "none");
  const elsewhere = { DATARUN_DATA_DIR: none, DATABASE_URL: "" };
  const planned = await run(["apply", "-f", file, "--plan"], elsewhere);
  assert.equal(planned.code, 1);
  assert.match(
    planned.stderr,
    /^There is no store in \S+none\. Everything would be new\. .*datarun.* apply -f \S+state\.yaml\n$/,
  );
  assert.ok(!existsSync(none));
});

test("a plan shows what is removed with the values that it has", async () => {
  writeFileSync(file, STATE.replace(/ {4}budgets:\n.*\n/, ""));
  const planned = await apply("-f", file, "--plan", "--prune", ...remote);
  assert.equal(planned.code, 2, planned.stderr);
  assert.match(planned.stdout, /^- remove budget acme\/monthly bud_\w+\n {4}workflow: onboarding\n {4}per: month\n/);
  assert.doesNotMatch(planned.stdout, /null/);
});

test("a change by hand is drift, a saved plan is refused after it, and the next apply undoes it", async () => {
  writeFileSync(file, STATE.replace("calls: 1000", "calls: 2000"));
  const saved = join(folder, "plan.json");
  const planned = await apply("-f", file, "--plan", "--out", saved, ...remote);
  assert.equal(planned.code, 2, planned.stderr);
  assert.match(planned.stdout, /^~ update budget acme\/monthly bud_\w+\n {4}limit: 1000 requests -> 2000 requests\n$/);

  const [{ organization_tuid: org }] = (await json("org", "list")).organizations;
  const [{ workflow }] = (await json("workflow", "list", "--org", org)).workflows;
  await json("workflow", "disable", workflow);
  const stale = await apply("--plan-file", saved, ...remote);
  assert.equal(stale.code, 1);
  assert.equal(stale.stderr, "The store has changed since the plan was made. Make a new plan.\n");

  const drifted = await apply("-f", file, "--plan", ...remote);
  assert.equal(drifted.code, 3, drifted.stderr);
  assert.match(
    drifted.stdout,
    /~ update workflow acme\/onboarding wfl_\w+ \(changed since the last apply\)\n {4}disabled: true -> false\n/,
  );
  const again = await apply("-f", file, "--plan", "--out", saved, ...remote);
  assert.deepEqual([again.code, again.stderr], [1, `The file ${saved} cannot be created: it exists already.\n`]);
  rmSync(saved);
  await apply("-f", file, "--plan", "--out", saved, ...remote);
  const applied = await apply("--plan-file", saved, ...remote);
  assert.equal(applied.code, 0, applied.stderr);
  assert.equal((await apply("-f", file, "--plan", ...remote)).code, 0);
});

test("versions of a workflow are those of the file, and the loaded ones again without it", async () => {
  const own = STATE.replace("calls: 1000", "calls: 2000");
  const versions =
    "functions: { dfunc_contact_check: 1 }\n        sources: { google__phone_number: 1@10% }\n        shadow: { dfunc_contact_check: 1@50% }";
  writeFileSync(file, own.replace("auto_credentials: true", `auto_credentials: true\n        ${versions}`));
  for (const [text, count] of [
    [readFileSync(file, "utf8"), 3],
    [own, 0],
  ] as const) {
    writeFileSync(file, text);
    const applied = await apply("-f", file, ...remote);
    assert.deepEqual([applied.code, applied.stdout.endsWith("1 change is made.\n")], [0, true], applied.stderr);
    assert.equal((await apply("-f", file, "--plan", ...remote)).stdout, "Nothing to do.\n");
    const [{ organization_tuid: org }] = (await json("org", "list")).organizations;
    const [{ versions: named }] = (await json("workflow", "list", "--org", org)).workflows;
    assert.equal(named.length, count);
  }
  writeFileSync(file, own.replace("auto_credentials: true", "functions: { dfunc_contact_check: 77 }"));
  const unknown = await apply("-f", file, ...remote);
  assert.equal(unknown.stderr, `${file}:7:22: dfunc_contact_check has no version "77".\n`);
});

test("nothing is taken away without --prune, nor is what has no key with it", async () => {
  const { organization_tuid: other } = await json("org", "create", "By hand");
  writeFileSync(file, STATE.replace("calls: 1000", "calls: 2000").replace(/ {4}tokens:[^]*?(?= {4}budgets)/, ""));
  const kept = await apply("-f", file, ...remote);
  assert.equal(kept.code, 0);
  assert.match(
    kept.stdout,
    /^Nothing to do\.\nThe file does not describe these, which stay without --prune:\n {2}token acme\/back-end tok_\w+\n$/,
  );
  const replaced = STATE.replace("calls: 1000", "amount: 5, currency: EUR");
  writeFileSync(file, replaced);
  const refused = await apply("-f", file, ...remote);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^budget acme\/monthly cannot change so: .* That needs --prune\. Nothing was changed\.\n$/,
  );
  writeFileSync(file, "version: 1\n");
  const pruned = await apply("-f", file, "--prune", ...remote);
  assert.equal(pruned.code, 0, pruned.stderr);
  const { organizations } = await json("org", "list");
  assert.deepEqual(
    organizations.map(({ name, disabled }: { name: string; disabled: boolean }) => [name, disabled]),
    [
      ["By hand", false],
      ["Acme Lending", true],
    ],
  );
  const adopting = await run(["state", "export", "--adopt"]);
  assert.match(adopting.stdout, new RegExp(`- key: by-hand\n {4}id: ${other}\n {4}name: By hand\n`));
  writeFileSync(file, adopting.stdout);
  const adopted = await apply("-f", file, ...remote);
  assert.equal(adopted.code, 0, adopted.stderr);
  assert.match(adopted.stdout, new RegExp(`^= adopt organization by-hand ${other}\n`, "m"));
  assert.equal((await apply("-f", file, "--plan", ...remote)).code, 0);
});

test("a mistake in a file is reported by line and column, and nothing is changed", async () => {
  const mistakes: readonly (readonly [from: string | RegExp, to: string, says: string])[] = [
    ["auto_credentials", "auto_credential", "7:9: organizations[0].workflows[0].auto_credential is not a known field."],
    ["name: grace,", "", "17:5: operators[0].name is required."],
    [
      "workflow: onboarding",
      "workflow: other",
      "15:25: The organization has no workflow with the key other in this file.",
    ],
    ["calls: 1000", "calls: 1000, amount: 5", "15:9: A budget needs either `amount` with `currency`, or `calls`."],
    [
      '"${env:CH_KEY}"',
      "abc",
      "11:19: organizations[0].credentials[0].fields.api_key must be ${env:NAME}, ${file:PATH} or stored: a state file has no secret.",
    ],
    ["- key: back-end", "- key: back-end\n      - key: back-end", "14:9: There are two with the key back-end."],
    ["version: 1", "version: 1\nversion: 1", "2:1: Map keys must be unique"],
    [
      "companies_house__company_profile",
      "companies_house__company_profil",
      '10:9: There is no source "companies_house__company_profil". Did you mean companies_house__company_profile',
    ],
    ["{ api_key:", "{ api_kee:", "9:9: The credential field api_key is required."],
    ["workflow: onboarding", "source: acme__typo", '15:25: There is no source "acme__typo".'],
  ];
  for (const [from, to, says] of mistakes) {
    writeFileSync(
      file,
      STATE.replace(from, () => to),
    );
    const { code, stderr } = await apply("-f", file, ...remote);
    assert.equal(code, 1);
    assert.ok(stderr.startsWith(`${file}:${says}`), stderr);
  }
});
