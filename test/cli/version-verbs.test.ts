import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { test, type TestContext } from "node:test";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { runCli } from "../../src/admin/cli/run-cli.ts";
import { checkDeployment } from "../../src/composition/commands/check/check-deployment.ts";
import { systemDisk } from "../../src/composition/commands/check/disk.ts";
import { checkedJson, checkedText, exitCodeOf, toChecked } from "../../src/composition/commands/check/show-report.ts";
import { COMMANDS } from "../../src/composition/commands/commands.ts";
import { start } from "../../src/composition/start.ts";
import { openVerbs } from "../../src/composition/verb-needs/terminal-needs.ts";
import { createLog } from "../../src/operate/log.ts";
import { readSettingsOf } from "../../src/project/config-file.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { assertPrinted } from "../rig/verb-results.ts";
import { command } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";

const FUNCTION = (decision: string) => `import { decide } from "../lib/decide.mjs";
export default { id: "dfunc_v", title: "Decides", run: () => ({ output: { decision: decide("${decision}") } }),
  cases: [{ name: "decides", inputs: {}, expect: { output: { decision: "${decision}" } } }] };
`;
const HELPER = `export const decide = (decision) => decision;\n`;
const SOURCE = (path: string, comment = "") => `${comment}id: acme__people
title: People
inputs: {type: object, properties: {name: {type: string}}}
origins: [https://acme.example]
request: {url: https://acme.example${path}, query: {name: "{{ inputs.name }}"}}
match: {record: status == \`200\`, no_record: status == \`404\`}
map: {found: body.found}
charge: free
cases:
  - {name: any, inputs: {name: Ada}, reply: {body: {found: true}}, expect: {match: true, output: {found: true}}}
`;

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): void;
  /** Starts a service, which registers what it loads, and stops it. */
  deploy(by: string): Promise<void>;
  run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they assert
  json(...args: string[]): Promise<any>;
  check(): Promise<{ readonly code: number; readonly text: string; readonly json: ReturnType<typeof checkedJson> }>;
}

function place(t: TestContext, more: Readonly<Record<string, string>> = {}): Place {
  const folder = project(t, {
    "functions/v.mjs": FUNCTION("APPROVE"),
    "lib/decide.mjs": HELPER,
    "sources/acme/people.yaml": SOURCE("/people"),
  });
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-versions-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const env = { DATARUN_PROJECT: folder, DATARUN_DATA_DIR: dataDir, ...more };
  const options = { port: "0", "admin-port": "0" };
  const run: Place["run"] = async (...args) => {
    const printed = { out: "", err: "" };
    const into = (key: "out" | "err") =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          printed[key] += chunk.toString();
          done();
        },
      });
    const io = { stdin: Readable.from([]), stdout: into("out"), stderr: into("err"), env: process.env };
    const named = ["--project", folder, "--data-dir", dataDir];
    const deployment = args.includes("--remote") ? [] : named;
    const before = { ...process.env };
    Object.assign(process.env, more);
    const cli = { verbs: findVerbs(), lasting: COMMANDS, open: openVerbs, version: async () => "v1" };
    const code = await runCli([...args, ...deployment], io, cli);
    for (const name of Object.keys(more)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    await assertPrinted(args, printed.out);
    return { code, stdout: printed.out, stderr: printed.err };
  };
  return {
    folder,
    env,
    run,
    write: (path, text) => writeFileSync(join(folder, path), text),
    async deploy(by) {
      const settings = await readSettingsOf(folder, { ...options, "deployed-by": by }, env);
      await (await start({ settings, printDemo: () => {}, log: createLog("error", "/dev/null") })).close();
    },
    async json(...args) {
      const printed = await run(...args, "--json");
      assert.equal(printed.code, 0, printed.stderr);
      return JSON.parse(printed.stdout) as unknown;
    },
    async check() {
      const report = await checkDeployment({
        given: { ...options, project: folder },
        environment: env,
        current: folder,
        production: false,
        connect: false,
        againstStore: true,
        clock: systemClock,
        disk: systemDisk,
      });
      const checked = toChecked(report, ["data_dir.in_memory", "data_dir.slow"]);
      return { code: exitCodeOf(checked), text: checkedText(checked, (text) => text), json: checkedJson(checked) };
    },
  };
}

/** Digests differ with each version of the bundler. */
function steady(text: string): string {
  return text.replaceAll(/(?<=\d )\([0-9a-f]{6}\)/g, "(……)").replaceAll(/(?<=-> |new, )[0-9a-f]{6}\b/g, "……");
}

test("versions are listed and compared, by their numbers, digests and beginnings of digests", async (t) => {
  const here = place(t);
  await here.deploy("ada");
  here.write("functions/v.mjs", FUNCTION("DECLINE"));
  here.write("sources/acme/people.yaml", SOURCE("/v2/people", "# the new path\n"));
  await here.deploy("pipeline 7");

  const { versions, workflows } = await here.json("function", "versions", "dfunc_v");
  assert.deepEqual(
    versions.map((each: Record<string, unknown>) => [each["number"], each["deployed_by"], each["from"], each["now"]]),
    [
      [2, "pipeline 7", "project", true],
      [1, "ada", "project", false],
    ],
  );
  assert.deepEqual(workflows, []);
  const [newer, older] = versions as readonly [{ digest: string }, { digest: string }];
  const listed = await here.run("function", "versions", "dfunc_v");
  const of = (digest: string) => `(${digest.slice(0, 6)})`;
  assert.match(listed.stdout, /^VERSION +FIRST USED +BUILD +DEPLOYED BY +FROM +NOW\n/);
  assert.ok(listed.stdout.includes(`2 ${of(newer.digest)}`) && listed.stdout.includes(`1 ${of(older.digest)}`));
  assert.match(listed.stdout, /No workflow names a version\.\n$/);

  const diff = (await here.run("function", "diff", "dfunc_v", "1", "2")).stdout;
  assert.equal(
    steady(diff),
    `dfunc_v: 1 (……) -> 2 (……)

--- functions/v.mjs
+++ functions/v.mjs
@@ -1,3 +1,3 @@
 import { decide } from "../lib/decide.mjs";
-export default { id: "dfunc_v", title: "Decides", run: () => ({ output: { decision: decide("APPROVE") } }),
-  cases: [{ name: "decides", inputs: {}, expect: { output: { decision: "APPROVE" } } }] };
+export default { id: "dfunc_v", title: "Decides", run: () => ({ output: { decision: decide("DECLINE") } }),
+  cases: [{ name: "decides", inputs: {}, expect: { output: { decision: "DECLINE" } } }] };
`,
  );
  for (const [before, after] of [
    [older.digest, newer.digest],
    [older.digest.slice(0, 6), newer.digest.slice(0, 9)],
    ["1", "latest"],
  ] as const)
    assert.equal((await here.run("function", "diff", "dfunc_v", before, after)).stdout, diff, `${before} ${after}`);

  const ofSource = await here.json("source", "diff", "acme__people", "1", "2");
  assert.deepEqual([ofSource.before.number, ofSource.after.number, ofSource.packages], [1, 2, []]);
  assert.deepEqual(
    ofSource.files.map(({ file, change }: { file: string; change: string }) => [file, change]),
    [["sources/acme/people.yaml", "changed"]],
  );
  assert.match(
    ofSource.files[0].diff,
    /^\+# the new path$[^]*^-request: \{url: https:\/\/acme\.example\/people.*\n\+request: \{url: https:\/\/acme\.example\/v2\/people/m,
  );

  const same = await here.run("source", "diff", "acme__people", "2", "latest");
  assert.match(same.stdout, /\nThese are the same version\.\n$/);
});

test("what is no version is refused with what to do", async (t) => {
  const here = place(t);
  await here.deploy("ada");
  const refused = async (...args: string[]) => {
    const { code, stderr } = await here.run(...args);
    return [code, stderr.replaceAll(/(?:DATARUN_\w+=\S+ )+/g, "")];
  };
  const listed = `"datarun function versions dfunc_v" shows those that exist.`;
  assert.deepEqual(await refused("function", "diff", "dfunc_v", "1", "2"), [
    1,
    `dfunc_v has no version 2. ${listed}\n`,
  ]);
  assert.deepEqual(await refused("function", "diff", "dfunc_v", "abcdef", "1"), [
    1,
    `dfunc_v has no version abcdef. ${listed}\n`,
  ]);
  assert.deepEqual(await refused("function", "diff", "dfunc_v", "abc", "1"), [
    2,
    "BEFORE must be the number of a version, 6 to 24 characters of its digest, or latest.\nUsage: datarun function diff FUNCTION BEFORE AFTER\n",
  ]);
  assert.match((await here.run("function", "versions", "dfunc_w")).stderr, /^There is no function "dfunc_w"/);
  assert.match((await here.run("source", "diff", "acme__peple", "1", "2")).stderr, /Did you mean acme__people/);
});

test("a function that is gone keeps its versions, and one that was edited is said to be not registered", async (t) => {
  const here = place(t);
  await here.deploy("ada");
  here.write("functions/v.mjs", FUNCTION("DECLINE"));
  const edited = await here.run("function", "versions", "dfunc_v");
  assert.match(edited.stderr, /^dfunc_v is now [0-9a-f]{6}, which is not registered: a start does that\.\n$/);
  const unregistered = await here.json("function", "diff", "dfunc_v", "1", "latest");
  assert.deepEqual([unregistered.after.number, unregistered.files.length], [null, 1]);
  rmSync(join(here.folder, "functions/v.mjs"));
  const { versions } = await here.json("function", "versions", "dfunc_v");
  assert.deepEqual(
    versions.map(({ number, now }: { number: number; now: boolean }) => [number, now]),
    [[1, false]],
  );
  assert.match((await here.run("function", "diff", "dfunc_v", "1", "latest")).stderr, /^dfunc_v does not run/);
});

test("versions of workflows are listed as a person sets them, and a command without a project says what it lacks", async (t) => {
  const here = place(t);
  await here.deploy("ada");
  const { organization_tuid: org } = await here.json("org", "create", "Acme");
  const { workflow } = await here.json("workflow", "create", "--org", org, "--name", "orders");
  await here.json("workflow", "create", "--org", org, "--name", "plain");
  const set = ["--function", "dfunc_v=1@10%", "--source", "acme__people=1", "--shadow", "dfunc_v=1"];
  await here.json("workflow", "set", workflow, ...set, "--shadow-sample", "2.5");
  const over = await here.run("workflow", "set", workflow, "--shadow", "dfunc_v=1", "--shadow-sample", "101");
  assert.match(over.stderr, /^--shadow-sample must be a percentage above 0 and at most 100\.$/m);
  const { stdout } = await here.run("workflow", "list", "--org", org);
  assert.match(stdout, /  dfunc_v=1@10%, acme__people=1, shadow dfunc_v=1@2\.5%  /);
  assert.match(stdout, / plain .* -  /);

  const { DATARUN_DATA_DIR } = here.env;
  const without = (...args: string[]) => command({ DATARUN_DATA_DIR: DATARUN_DATA_DIR! }, "workflow", ...args).stderr;
  const hint =
    "No project is named here, so that only the catalog is known: name it with --project or DATARUN_PROJECT.";
  assert.ok(without("set", workflow, "--function", "dfunc_v=1").includes(hint));
  assert.ok(without("set", workflow, "--source", "acme__people=1").includes(hint));
});

for (const engine of ["embedded", "PostgreSQL"]) {
  test(`${engine}: check --against-store shows what a start would change, and registers nothing`, async (t) => {
    const shared = {
      DATABASE_URL: engine === "embedded" ? "" : await newStoreDatabase(t),
      DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
    };
    const here = place(t, engine === "embedded" ? {} : shared);
    await here.deploy("ada");
    const none = await here.check();
    assert.deepEqual([none.code, none.json["changes"]], [0, []], none.text);
    assert.match(none.text, /^Compared with the store: no difference\.\n\nNothing found/);

    here.write("lib/decide.mjs", HELPER.replace("=> decision", "=> decision.toLowerCase()"));
    here.write("functions/new.mjs", FUNCTION("APPROVE").replace("dfunc_v", "dfunc_new"));
    rmSync(join(here.folder, "sources/acme/people.yaml"));
    const some = await here.check();
    assert.equal(some.code, 3, some.text);
    assert.equal(
      steady(some.text.slice(0, some.text.indexOf("Nothing found"))),
      `function dfunc_v: changed, 1 (……) -> ……

--- lib/decide.mjs
+++ lib/decide.mjs
@@ -1,1 +1,1 @@
-export const decide = (decision) => decision;
+export const decide = (decision) => decision.toLowerCase();

function dfunc_new: new, ……

source acme__people: removed, 1 (……)

Compared with the store: 1 changed, 1 new, 1 removed.

`,
    );
    assert.equal((await here.json("function", "versions", "dfunc_v")).versions.length, 1);

    await here.deploy("ada");
    const removed = await here.check();
    assert.equal(removed.code, 0, "what was removed is shown, and does not count");
    assert.match(removed.text, /^source acme__people: removed/);

    rmSync(join(here.folder, "functions/new.mjs"));
    here.write("lib/decide.mjs", HELPER);
    const back = await here.check();
    assert.equal(back.code, 3);
    assert.match(steady(back.text), /^function dfunc_v: changed, 2 \(……\) -> 1 \(……\)\n/);
    here.write("functions/v.mjs", "export default {");
    const broken = await here.check();
    assert.equal(broken.code, 1, "a finding");
    assert.ok(!broken.text.includes("dfunc_v: removed"), broken.text);
  });
}

test("from afar the verbs print what they print on the machine", async (t) => {
  const here = place(t);
  await here.deploy("ada");
  here.write("functions/v.mjs", FUNCTION("DECLINE"));
  const settings = await readSettingsOf(here.folder, { port: "0", "admin-port": "0" }, here.env);
  const running = await start({ settings, printDemo: () => {}, log: createLog("error", "/dev/null") });
  t.after(() => running.close());
  const { operator_token: token } = await here.json("operator", "create", "ada", "--role", "viewer");
  process.env["DATARUN_OPERATOR_TOKEN"] = token;
  t.after(() => delete process.env["DATARUN_OPERATOR_TOKEN"]);
  for (const args of [
    ["function", "versions", "dfunc_v"],
    ["source", "versions", "acme__people"],
    ["function", "diff", "dfunc_v", "1", "2"],
    ["source", "diff", "acme__people", "1", "latest"],
  ]) {
    const [local, remote] = [await here.run(...args), await here.run("--remote", running.adminUrl, ...args)];
    assert.deepEqual(remote, local, args.join(" "));
    assert.equal(local.code, 0, local.stderr);
  }
  assert.ok(readFileSync(join(here.folder, "functions/v.mjs"), "utf8").includes("DECLINE"));
});
