import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Readable, Writable } from "node:stream";
import { test, type TestContext } from "node:test";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { runCli } from "../../src/admin/cli/run-cli.ts";
import { COMMANDS } from "../../src/composition/commands/commands.ts";
import { openVerbs } from "../../src/composition/verb-needs/terminal-needs.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { createLog } from "../../src/operate/log.ts";
import { start } from "../../src/composition/start.ts";
import type { JsonObject } from "../../src/terms/json/json.ts";
import { assertPrinted } from "../rig/verb-results.ts";

interface Place {
  readonly project: string;
  readonly dataDir: string;
  run(args: readonly string[], stdin?: string): Promise<{ code: number; stdout: string; stderr: string }>;
  json<Result>(args: readonly string[], stdin?: string): Promise<Result>;
  write(path: string, text: string): void;
}

/** The whole command line, wiring included, on a project and a data directory of its own. */
function place(t: TestContext): Place {
  const folder = mkdtempSync(join(tmpdir(), "datarun-functions-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [project, dataDir] = [join(folder, "project"), join(folder, "data")];
  mkdirSync(project);
  const run: Place["run"] = async (args, stdin = "") => {
    const printed = { out: "", err: "" };
    const into = (key: "out" | "err") =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          printed[key] += chunk.toString();
          done();
        },
      });
    const io = { stdin: Readable.from([Buffer.from(stdin)]), stdout: into("out"), stderr: into("err"), env: {} };
    const code = await runCli([...args, "--project", project, "--data-dir", dataDir], io, {
      verbs: findVerbs(),
      lasting: COMMANDS,
      open: openVerbs,
      version: async () => "v1",
    });
    await assertPrinted(args, printed.out);
    return { code, stdout: printed.out, stderr: printed.err };
  };
  return {
    project,
    dataDir,
    run,
    json: async <Result>(args: readonly string[], stdin?: string) => {
      const printed = await run([...args, "--json"], stdin);
      assert.equal(printed.code, 0, printed.stderr);
      return JSON.parse(printed.stdout) as Result;
    },
    write(path, text) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    },
  };
}

interface Answer {
  readonly transaction_id: string;
  readonly outputs: Record<string, { readonly output: JsonObject; readonly pipes: JsonObject }>;
  readonly status: Record<string, { readonly success: boolean; readonly message: string }>;
}

async function workflowOf({ json }: Place, ...options: string[]): Promise<{ workflow: string; org: string }> {
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const { workflow } = await json<{ workflow: string }>(["workflow", "create", "--org", org, ...options]);
  return { workflow, org };
}

test("a new function works as it is written, and its cases pass", async (t) => {
  const here = place(t);
  const made = await here.json<{ file: string }>(["function", "new", "dfunc_reachable_by"]);
  assert.equal(made.file, relative(process.cwd(), join(here.project, "functions/reachable_by.ts")));
  const tested = await here.run(["function", "test", "dfunc_reachable_by"]);
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  assert.match(tested.stdout, /^ok {4} dfunc_reachable_by\n {2}ok/);
});

test("a new function never goes over a file that is there", async (t) => {
  const here = place(t);
  here.write("functions/mine.ts", "// my work");
  const refused = await here.run(["function", "new", "dfunc_mine"]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /The file .*mine\.ts exists already/);
  assert.equal(readFileSync(join(here.project, "functions/mine.ts"), "utf8"), "// my work");
  assert.equal((await here.run(["function", "new", "../../x"])).code, 2);
});

const ADDS = (expected: number) => `
export default {
  id: "dfunc_sum", title: "Adds",
  run: ({ inputs, log }) => { log.info("adding\\u001b[2J\\u009b2J"); return { output: { sum: inputs.a + inputs.b } }; },
  cases: [{ name: "adds two", inputs: { a: 1, b: 2 }, expect: { output: { sum: ${expected} } } }],
};`;

test("a new function says which one of the catalog it replaces, and is never the second one of the project with its id", async (t) => {
  const here = place(t);
  const replaces = await here.run(["function", "new", "dfunc_contact_check"]);
  assert.equal(replaces.code, 0);
  assert.match(replaces.stderr, /^It replaces the catalog's dfunc_contact_check\.\n/);
  assert.doesNotMatch((await here.run(["function", "new", "dfunc_own"])).stderr, /replaces/);
  here.write("functions/sum.mjs", ADDS(3));
  const second = await here.run(["function", "new", "dfunc_sum"]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /^dfunc_sum exists already: .*functions\/sum\.mjs\n$/);
  assert.ok(!existsSync(join(here.project, "functions/sum.ts")));
});

test("a misspelled function is refused before anything runs, like a misspelled source", async (t) => {
  const here = place(t);
  const { workflow, org } = await workflowOf(here);
  const { code, stdout, stderr } = await here.run(["function", "run", "dfunc_contact_chek", "--workflow", workflow]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^There is no function "dfunc_contact_chek"\. Did you mean dfunc_contact_check\b.*\n$/);
  assert.deepEqual((await here.json<{ tokens: object[] }>(["token", "list", "--org", org])).tokens, []);
});

test("a case that fails shows what differs and what was logged, which moves no cursor, and the exit code is 1", async (t) => {
  const here = place(t);
  here.write("functions/sum.mjs", ADDS(4));
  const { code, stdout } = await here.run(["function", "test"]);
  assert.equal(code, 1);
  assert.equal(
    stdout,
    "FAILED dfunc_sum\n  FAILED adds two\n           output/sum: expected 4, found 3\n           log info: adding\n",
  );
  const json = await here.run(["function", "test", "--json"]);
  assert.equal(json.code, 1);
  const [{ passed, differences, log }] = JSON.parse(json.stdout).functions[0].cases;
  assert.deepEqual(
    [passed, differences, log],
    [false, ["output/sum: expected 4, found 3"], ["info: adding\u001b[2J\u009b2J"]],
  );
  assert.doesNotMatch(json.stdout, /(?!\n)\p{C}/u);

  here.write("functions/sum.mjs", ADDS(3));
  assert.equal((await here.run(["function", "test"])).code, 0);
});

test("what a case asks of a vendor must be scripted: no case leaves the machine", async (t) => {
  const here = place(t);
  here.write(
    "functions/asks.mjs",
    `export default { id: "dfunc_asks", title: "Asks",
      run: async ({ run }) => ({ output: { found: (await run("acme__people", { name: "Ada" })).output } }),
      cases: [
        { name: "not scripted", inputs: {}, expect: {} },
        { name: "scripted", inputs: {}, sources: { acme__people: { output: { age: 36 } } }, expect: { output: { found: { age: 36 } }, called: ["acme__people"] } },
        { name: "scripted for more calls than were made", inputs: {}, sources: { acme__people: [{}, {}] }, expect: {} },
        { name: "scripted for fewer", inputs: {}, sources: { acme__people: [] }, expect: {} },
        { name: "a kind that is none", inputs: {}, sources: { acme__people: { failure: "bad_luck" } }, expect: {} },
      ] };`,
  );
  here.write(
    "sources/people.mjs",
    `export default { id: "acme__people", title: "People", inputs: { type: "object", properties: { name: { type: "string" } } },
      origins: ["http://127.0.0.1:9"], run: ({ http }) => http.get("http://127.0.0.1:9/") };`,
  );
  const { code, stdout } = await here.run(["function", "test", "dfunc_asks"]);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /FAILED not scripted\n +sources\/acme__people: expected "a scripted answer, because it asks a vendor"/,
  );
  assert.match(stdout, /ok {5}scripted\n/);
  assert.match(
    stdout,
    /FAILED scripted for more calls than were made\n +sources\/acme__people: expected "2 calls", found "1"/,
  );
  assert.match(stdout, /FAILED scripted for fewer\n +sources\/acme__people: expected "0 calls", found "call 1"/);
  assert.match(stdout, /FAILED a kind that is none\n +sources\/acme__people\/failure: expected "abandoned, adapter, /);
});

test("cases beside a function have every digit of a long number, in its inputs and in what it returns", async (t) => {
  const here = place(t);
  here.write(
    "functions/a.mjs",
    `export default { id: "dfunc_a", title: "A", run: ({ inputs }) => ({ output: inputs }) };`,
  );
  const cases = ["12345678901234567891", "12345678901234567892"].map(
    (id) => `{"name":"${id}","inputs":{"id":12345678901234567891},"expect":{"output":{"id":${id}}}}`,
  );
  here.write("functions/a.cases.json", `[${cases.join()}]`);
  const { stdout } = await here.run(["function", "test", "dfunc_a"]);
  assert.match(stdout, /ok {5}12345678901234567891\n/);
  assert.match(stdout, /output\/id: expected 12345678901234567892, found 12345678901234567891\n/);
});

test("cases that cannot be read, or have a misspelled key, are named with their file", async (t) => {
  const here = place(t);
  here.write("functions/a.mjs", `export default { id: "dfunc_a", title: "A", run: () => ({}) };`);
  const none = await here.run(["function", "test", "dfunc_a"]);
  assert.deepEqual([none.code, none.stderr.includes("dfunc_a has no cases")], [1, true]);
  for (const [text, words] of [
    ["[{", /a\.cases\.json: it cannot be read: it is not valid JSON at line 1, column 3/],
    ["{}", /a\.cases\.json: the cases must be a list/],
    [`[{"name":"x","inputs":{},"expect":{},"source":{}}]`, /a\.cases\.json: case 1 \(x\) has an unknown key "source"/],
    [`[{"name":"x","inputs":{},"expect":{"outputs":{}}}]`, /case 1 \(x\) has an unknown key "outputs"/],
  ] as const) {
    here.write("functions/a.cases.json", text);
    assert.match((await here.run(["function", "test", "dfunc_a"])).stderr, words);
  }
});

test("cases beside a function are a file of their own: no link is followed, and no pipe waited for", async (t) => {
  const here = place(t);
  here.write("functions/a.mjs", `export default { id: "dfunc_a", title: "A", run: () => ({}) };`);
  const beside = join(here.project, "functions/a.cases.json");
  writeFileSync(join(here.project, "../key"), "root_dd4c:WZvwg5G");
  for (const make of [
    () => symlinkSync("../../key", beside),
    () => execFileSync("mkfifo", [beside]),
    () => mkdirSync(beside),
  ]) {
    make();
    const { code, stderr } = await here.run(["function", "test", "dfunc_a"]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /a\.cases\.json: the cases must be in a regular file, not a link/);
    assert.equal(stderr.includes("root_"), false);
    rmSync(beside, { recursive: true });
  }
});

test("a command keeps functions out of the data directory that the config file names", async (t) => {
  const here = place(t);
  here.write("datarun.config.mjs", `export default { data_dir: ${JSON.stringify(join(here.project, "vault"))} };`);
  here.write("vault/got.json", "{}");
  here.write(
    "functions/a.mjs",
    `import got from "../vault/got.json"; export default { id: "dfunc_a", title: "A", run: () => got };`,
  );
  const { stderr } = await here.run(["function", "list"]);
  assert.match(stderr, /a\.mjs: line 1: "\.\.\/vault\/got\.json" leads to the data directory, which is closed/);
});

test("a run without a service goes through the whole of one, and onto the ledger", async (t) => {
  const here = place(t);
  here.write("functions/sum.mjs", ADDS(3));
  const { workflow, org } = await workflowOf(here);
  const answer = await here.json<Answer>(
    ["function", "run", "dfunc_sum", "--workflow", workflow, "--context", "test", "--stdin"],
    '{"a":1,"b":2}',
  );
  assert.deepEqual(answer.outputs["dfunc_sum"], { output: { sum: 3 }, pipes: {} });

  const { run } = await here.json<{ run: JsonObject }>(["ledger", "show", answer.transaction_id]);
  assert.deepEqual(
    [run["function_id"], run["context"], run["workflow_id"], run["organization_id"], run["state"]],
    ["dfunc_sum", "test", workflow, org, "ended"],
  );
  const { tokens } = await here.json<{ tokens: JsonObject[] }>(["token", "list", "--org", org]);
  assert.equal(tokens.length, 1);
  assert.equal(tokens[0]!["state"], "revoked", "the token of the run works no more");
  assert.equal(run["token_id"], tokens[0]!["token_id"]);
  assert.ok(!existsSync(join(here.dataDir, "service.json")), "nothing is left that says where a service listens");
});

test("beside a running service a run goes through that one", async (t) => {
  const here = place(t);
  here.write("functions/sum.mjs", ADDS(3));
  here.write("functions/fails.mjs", `export default { id: "dfunc_fails", title: "F", run: () => { throw 1; } };`);
  const { workflow } = await workflowOf(here);
  const settings = readSettings({
    options: { port: "0", "admin-port": "0", "data-dir": here.dataDir, project: here.project },
  });
  const log = createLog("error", join(here.dataDir, "log"));
  const running = await start({ settings, printDemo: () => {}, log });
  t.after(() => running.close());

  const printed = await here.run([
    "function",
    "run",
    "dfunc_sum",
    "--workflow",
    workflow,
    "--set",
    "a:=5",
    "--set",
    "b:=6",
  ]);
  assert.equal(printed.code, 0, printed.stderr);
  assert.ok(printed.stderr.includes(`It runs in the service at ${running.url}`));
  assert.deepEqual((JSON.parse(printed.stdout) as Answer).outputs["dfunc_sum"]!.output, { sum: 11 });

  const failing = await here.run(["function", "run", "dfunc_fails", "--workflow", workflow]);
  assert.equal(failing.code, 1, "what failed is shown, and is no success");
  assert.match((JSON.parse(failing.stdout) as Answer).status["dfunc_fails"]!.message, /^Data function error/);

  const source = (...options: string[]) =>
    here.run(["source", "run", "publicsuffix__domain", "--workflow", workflow, ...options]);
  const found = await source("--set", "domain=login.shop.example.co.uk", "--json");
  assert.equal(found.code, 0, found.stderr);
  const told = JSON.parse(found.stdout) as { transaction_id: string; status: JsonObject; output: JsonObject };
  assert.deepEqual([told.status["success"], told.status["match"]], [true, true]);
  assert.equal(told.output["registrable_domain"], "example.co.uk");
  const { run } = await here.json<{ run: JsonObject }>(["ledger", "show", told.transaction_id]);
  assert.deepEqual([run["kind"], run["context"]], ["data", "dev"]);
  const failed = await source("--context", "test");
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /Adapter error: /);
  const foreign = await source("--set", "domain=example.com", "--credential", "cred_x");
  assert.equal(foreign.code, 1, "a credential that it cannot have fails it");
  const misspelt = await here.run(["source", "run", "publicsufix__domain", "--workflow", workflow]);
  assert.deepEqual([misspelt.code, misspelt.stdout], [1, ""]);
  assert.match(misspelt.stderr, /Did you mean publicsuffix__domain/);
});

test("with --request the whole request is given, and what is wrong with it is said", async (t) => {
  const here = place(t);
  const { workflow } = await workflowOf(here);
  const run = ["function", "run", "dfunc_first_record", "--workflow", workflow, "--request", "--stdin"];
  const answer = await here.json<Answer>(
    run,
    JSON.stringify({
      config: { context: "prod" },
      inputs: { iban: "DE89370400440532013000" },
      attempts: [{ source: "ibantools__bank_account" }],
    }),
  );
  assert.equal(answer.outputs["dfunc_first_record"]!.output["found"], true);
  const refused = await here.run(run, `{"config":{"context":"live"}}`);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /The service answered 422: .*\/config\/context must be/);
});

test("a run needs a workflow that exists and is not disabled", async (t) => {
  const here = place(t);
  const { workflow } = await workflowOf(here);
  await here.json(["workflow", "disable", workflow]);
  const disabled = await here.run(["function", "run", "dfunc_contact_check", "--workflow", workflow]);
  assert.deepEqual([disabled.code, disabled.stderr], [1, "The workflow is disabled.\n"]);
  const unknown = await here.run(["function", "run", "dfunc_contact_check", "--workflow", "wfl_0"]);
  assert.match(unknown.stderr, /There is no workflow wfl_0/);
});

test("list and show distinguish the project's functions from the catalog's, and a broken file affects only itself", async (t) => {
  const here = place(t);
  here.write("functions/sum.mjs", ADDS(3));
  here.write("functions/broken.ts", "export default {\n  id: \n};");
  here.write("functions/ours.mjs", `export default { id: "dfunc_contact_check", title: "Ours", run: () => ({}) };`);
  const listed = await here.run(["function", "list", "--json"]);
  const { functions } = JSON.parse(listed.stdout) as { functions: { function: string; from: string }[] };
  const from = Object.fromEntries(functions.map((each) => [each.function, each.from]));
  assert.equal(from["dfunc_sum"], "project");
  assert.equal(from["dfunc_contact_check"], "project");
  assert.equal(from["dfunc_first_record"], "catalog");
  assert.match(listed.stderr, /A file cannot be used: .*broken\.ts.*3/);
  const shown = await here.json<JsonObject>(["function", "show", "dfunc_sum"]);
  const cases = [{ name: "adds two", inputs: { a: 1, b: 2 }, expects: "success", asks: [] }];
  assert.deepEqual([shown["title"], shown["cases"], shown["timeout_ms"]], ["Adds", cases, 30_000]);
  assert.equal(shown["code"], ADDS(3));
  const unknown = await here.run(["function", "show", "dfunc_summ"]);
  assert.match(unknown.stderr, /There is no function "dfunc_summ"\. Did you mean .*dfunc_sum/);
  const broken = await here.run(["function", "show", "dfunc_broken"]);
  assert.match(
    broken.stderr,
    /broken\.ts.*3[\s\S]*The function dfunc_broken cannot be used until its file is corrected/,
  );
  const { workflow } = await workflowOf(here);
  const run = await here.run(["function", "run", "dfunc_broken", "--workflow", workflow]);
  assert.equal(run.code, 1);
  assert.match(run.stderr, /broken\.ts.*3/, "without a service, one that is started says why it cannot run it");
});
