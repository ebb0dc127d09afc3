import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { JOURNAL_FILE } from "../../src/ledger/journal/journal-file.ts";
import { terminal } from "./terminal.ts";

const CANARY = "canary-9f31c2-secret";

async function prepared(t: TestContext, workflowOptions = "") {
  const shell = terminal(t);
  const { organization_tuid: org } = await shell.json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const { workflow } = await shell.json<{ workflow: string }>(
    `workflow create --org ${org} ${workflowOptions}`.trim().split(" "),
  );
  const store = (options: string, typed = {}) =>
    shell.run(`credential create --org ${org} --source acme__people ${options}`.trim().split(" "), typed);
  const stored = async (options: string) =>
    JSON.parse((await store(`--set api_key=${CANARY} --json ${options}`)).stdout).cred_id as string;
  const explain = (options = "") =>
    shell.json<Explained>(
      `credential explain --workflow ${workflow} --source acme__people ${options}`.trim().split(" "),
    );
  return { ...shell, org, workflow, store, stored, explain };
}

interface Explained {
  readonly rule: string;
  readonly cred_id: string | null;
  readonly usable: boolean;
  readonly steps: readonly { rule: string; verdict: string; cred_id: string | null }[];
}

test("a stored credential prints its id, and its fields are nowhere to be read", async (t) => {
  const { store, json, org, dataDir } = await prepared(t);
  const created = await store("--json --default --context prod --context test --set-env api_key=KEY", {
    env: { KEY: CANARY },
  });
  assert.equal(created.code, 0);
  assert.deepEqual(Object.keys(JSON.parse(created.stdout)), ["cred_id"]);
  assert.match(JSON.parse(created.stdout).cred_id, /^cred_[0-9a-f]{32}$/);

  const { credentials } = await json<{ credentials: Record<string, unknown>[] }>(["credential", "list", "--org", org]);
  assert.deepEqual(credentials[0]?.["contexts"], ["prod", "test"]);
  assert.equal(credentials[0]?.["default"], true);
  const bytes = readdirSync(dataDir, { withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(dataDir, file.name), "latin1"));
  assert.ok(bytes.length > 0);
  for (const form of [
    CANARY,
    Buffer.from(CANARY).toString("base64").slice(0, 20),
    Buffer.from(CANARY).toString("hex"),
  ]) {
    assert.ok(!bytes.some((text) => text.includes(form)));
  }
});

test("credentials are listed without their last use if the ledger cannot be read, which is said", async (t) => {
  const { stored, json, run, org, dataDir } = await prepared(t);
  const id = await stored("--default");
  const list = ["credential", "list", "--org", org];
  const { credentials } = await json<{ credentials: Record<string, unknown>[] }>(list);
  assert.deepEqual([credentials[0]?.["last_used_at"], credentials[0]?.["fields"]], [null, ["api_key"]]);
  mkdirSync(join(dataDir, "ledger"));
  writeFileSync(join(dataDir, "ledger", JOURNAL_FILE), "this is not a database".repeat(1_000));
  const { code, stdout, stderr } = await run([...list, "--json"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Their times of last use are not known: The journal .* is damaged/);
  const [listed] = JSON.parse(stdout).credentials;
  assert.equal(listed.cred_id, id);
  assert.ok(!("last_used_at" in listed));
});

test("fields come from the command line, the environment and standard input at once", async (t) => {
  const { store, explain } = await prepared(t);
  const created = await store("--default --set-env api_key=KEY --stdin", {
    env: { KEY: CANARY },
    stdin: '{"port":8443}',
  });
  assert.equal(created.code, 0, created.stderr);
  assert.equal((await store("--default --set api_key=abcd --set port:=8443")).code, 0);
  assert.equal((await explain()).usable, true);
});

test("a reference that cannot be read is stored, and how to see that is said", async (t) => {
  const { store, run } = await prepared(t);
  const created = await store("--ref api_key=file:/run/secrets/none --json");
  assert.equal(created.code, 0, created.stderr);
  const { cred_id: id } = JSON.parse(created.stdout) as { cred_id: string };
  assert.match(created.stderr, new RegExp(`To see whether they can be: .*credential verify ${id}\n$`));
  const verified = await run(["credential", "verify", id]);
  assert.equal(verified.code, 1, verified.stderr);
  assert.match(verified.stdout, /\napi_key +file:\/run\/secrets\/none +- +there is no .+\n/);
});

const refusals: readonly [string, object, RegExp, number][] = [
  ["--set api_key=abc", {}, /field api_key must have at least 4 characters/, 1],
  ["--set port:=1", {}, /field api_key is required/, 1],
  ["--set api_key=abcd --set port=8443", {}, /field port must be an integer/, 1],
  ["--set api_key=abcd --set prot:=1", {}, /field prot is not a known field/, 1],
  [`--set ${CANARY}`, {}, /--set takes FIELD=VALUE/, 2],
  [`--set api_key=a --set api_key=${CANARY}`, {}, /field api_key may be given only once/, 2],
  [`--set port:=${CANARY}`, {}, /not valid JSON/, 2],
  [`--set-env api_key=NOT_THERE`, {}, /variable NOT_THERE is not set/, 2],
  [`--set-env api_key`, {}, /--set-env takes FIELD=VARIABLE/, 2],
  ["--stdin", { stdin: `"${CANARY}"` }, /not a JSON object/, 2],
  ["--stdin", { stdin: `{"api_key":"${CANARY}"` }, /not valid JSON \(syntax\)/, 2],
  ["--stdin", { stdin: `{"api_key":"${"x".repeat(1_048_577)}"}` }, /more than 1048576 bytes/, 2],
  [`--set api_key= ${CANARY}`, {}, /takes no argument besides its options/, 2],
  [`--api-key=${CANARY}`, {}, /Unknown option --api-key/, 2],
  [`--json=${CANARY}`, {}, /--json does not take a value/, 2],
  ["", {}, /--set or --set-env or --stdin or --ref is required/, 2],
  ["--set api_key=abcd --context staging", {}, /--context must be one of prod, test, dev/, 2],
  ["--set api_key=abcd --context prod --context prod", {}, /--context/, 2],
];
for (const [options, typed, says, code] of refusals) {
  const named = options.length > 60 ? `${options.slice(0, 60)}…` : options;
  test(`a credential given as "${named}" is refused without repeating a value: ${says.source}`, async (t) => {
    const { store, json, org } = await prepared(t);
    const printed = await store(options, typed);
    assert.equal(printed.code, code, printed.stderr);
    assert.match(printed.stderr, says);
    assert.ok(!(printed.stdout + printed.stderr).includes(CANARY));
    assert.deepEqual(await json(["credential", "list", "--org", org]), { credentials: [] });
  });
}

test("a credential for a source that does not exist, or takes none, is refused", async (t) => {
  const { run, org } = await prepared(t);
  const create = (source: string) =>
    run(["credential", "create", "--org", org, "--source", source, "--set", "api_key=abcd"]);
  const misspelled = await create("acme__poeple");
  assert.equal(misspelled.code, 1);
  assert.match(misspelled.stderr, /There is no source "acme__poeple"\. Did you mean acme__people/);
  assert.match((await create("nothing-like-it")).stderr, /"datarun source list" shows/);
  assert.match((await create("acme__open")).stderr, /acme__open takes no credential/);
});

test("a new default replaces the one before, and says so", async (t) => {
  const { store, stored, json, org } = await prepared(t);
  const old = await stored("--default");
  const narrowed = await store("--default --context prod --set api_key=abcd");
  assert.match(
    narrowed.stderr,
    new RegExp(`${old} is replaced by this one in prod and stays the default in test and dev`),
  );
  const replaced = await store("--default --set api_key=abcd");
  assert.match(replaced.stderr, new RegExp(`${old} is no longer a default: this one replaces it in every context`));

  const { credentials } = await json<{ credentials: { default: boolean }[] }>(["credential", "list", "--org", org]);
  assert.deepEqual(
    credentials.map((credential) => credential.default),
    [true, false, false],
  );
});

test("explain says what a run takes and what every rule said on the way", async (t) => {
  const { stored, explain, json, run, workflow } = await prepared(t);
  assert.deepEqual([(await explain()).rule, (await explain()).usable], ["none", false]);
  const none = await run(["credential", "explain", "--workflow", workflow, "--source", "acme__people"]);
  assert.match(none.stderr, /a run would fail\. To store one: .*credential create --org org_\w+ --source acme__people/);

  const general = await stored("--default");
  const forProd = await stored("--default --context prod");
  const atTest = await explain("--context test");
  assert.deepEqual([atTest.rule, atTest.cred_id, atTest.usable], ["default", general, true]);
  assert.equal((await explain("--context prod")).cred_id, forProd);
  assert.deepEqual(
    atTest.steps.map(({ rule, verdict }) => [rule, verdict]),
    [
      ["inline", "passes"],
      ["named", "passes"],
      ["auto", "passes"],
      ["default", "takes"],
    ],
  );

  const named = await explain(`--cred-id ${forProd} --context dev`);
  assert.deepEqual([named.rule, named.usable], ["named", false]);
  await json(["workflow", "set", workflow, "--auto-credentials"]);
  const newest = await stored("--context dev");
  assert.deepEqual([(await explain()).rule, (await explain()).cred_id], ["auto", newest]);
  await json(["credential", "disable", newest]);
  assert.equal((await explain()).cred_id, general);
  await json(["credential", "enable", newest]);
  assert.equal((await explain()).cred_id, newest);
  await json(["credential", "delete", newest]);
  assert.equal((await explain()).cred_id, general);

  const shown = await run(["credential", "explain", "--workflow", workflow, "--source", "acme__people"]);
  assert.match(shown.stdout, /\n\nRULE +VERDICT +CRED ID +CRED NAME +REASON$/m);
  assert.doesNotMatch(shown.stdout, /no references|\n\n\n/);
  assert.ok(!shown.stdout.includes(CANARY));
});

test("explain knows that a source without credentials needs none", async (t) => {
  const { json, workflow } = await prepared(t);
  const explained = await json<Explained>([
    ..."credential explain --source acme__open --workflow".split(" "),
    workflow,
  ]);
  assert.deepEqual([explained.rule, explained.usable], ["none", true]);
});

test("an empty secret is refused, and a field that the source does not declare is noted", async (t) => {
  const { run, org } = await prepared(t);
  const store = (...fields: string[]) =>
    run([
      "credential",
      "create",
      "--org",
      org,
      "--source",
      "acme__loose",
      ...fields.flatMap((field) => ["--set", field]),
    ]);
  for (const empty of ["api_key=", "api_key=  "]) {
    const { code, stderr } = await store(empty);
    assert.equal(code, 1);
    assert.match(stderr, /^The credential field api_key is empty\./);
  }
  const noted = await store(`api_kye=${CANARY}`);
  assert.equal(noted.code, 0);
  assert.match(noted.stderr, /acme__loose does not declare the field api_kye; .* Did you mean api_key\?/);
  assert.doesNotMatch(noted.stderr, new RegExp(CANARY));
  assert.equal((await store("api_key=abcd")).stderr, "");
});

test("a note distinguishes one credential from another, in the list and on the trail", async (t) => {
  const { run, json, org, stored } = await prepared(t);
  const plain = await stored("");
  const create = ["credential", "create", "--org", org, "--source", "acme__people", "--set", "api_key=abcd", "--json"];
  const sandbox = JSON.parse((await run([...create, "--note", "the sandbox, Ada's"])).stdout).cred_id as string;
  const { credentials } = await json<{ credentials: { cred_id: string; note: string | null }[] }>([
    "credential",
    "list",
    "--org",
    org,
  ]);
  assert.deepEqual(
    new Map(credentials.map(({ cred_id: id, note }) => [id, note])),
    new Map([
      [sandbox, "the sandbox, Ada's"],
      [plain, null],
    ]),
  );
  assert.match((await run(["audit", "list"])).stdout, /the sandbox/);
});
