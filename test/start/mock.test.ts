import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { after, mock as replace, test, type TestContext } from "node:test";
import { makeAccessToken } from "../../src/access/access-token.ts";
import { startMock, type MockOptions } from "../../src/composition/mock-service.ts";
import { ROUTES } from "../../src/http/app.ts";
import { createLog } from "../../src/operate/log.ts";
import { openSources } from "../../src/project/open-catalogs.ts";
import { MAGIC } from "../../src/simulation/magic-inputs.ts";
import { mockCommand, type ReadyLine } from "../rig/mock-command.ts";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { project } from "./project-folder.ts";

const LEI = { lei: "5299000example000099" };
const LEI_SOURCE = "gleif__lei_record";

async function start(t: TestLife, options: Partial<MockOptions> = {}) {
  const running = await startMock({
    host: "127.0.0.1",
    port: 0,
    adminPort: 0,
    project: undefined,
    token: "drt_mock",
    workflow: "wfl_mock",
    failureDetails: true,
    set: [],
    timeoutMs: undefined,
    log: createLog("warn", { write: (line) => assert.fail(line) }),
    ...options,
  });
  t.after(() => running.close());
  return {
    async send(path: string, body: object, { token = "drt_mock", workflow = "wfl_mock" } = {}) {
      const headers = { "X-Service-Access-Token": token, "X-Service-Workflow": workflow };
      const reply = await fetch(running.url + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: reply.status, body: (await reply.json()) as Answer };
    },
    async ask(source: string, inputs: object, entry: unknown = true) {
      const { body } = await this.send("/data", { config: { sources: { [source]: entry } }, inputs });
      return { output: body.outputs[source]!, ...body.status[source]! };
    },
    async admin(method: string, path: string, body?: object) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const reply = await fetch(running.adminUrl + path, { method, ...sent });
      return { status: reply.status, body: (await reply.json()) as AdminAnswer };
    },
  };
}

interface Answer {
  readonly config: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly status: Readonly<Record<string, { success: boolean; message: string; failure?: { kind: string } }>>;
  readonly error?: { readonly details: readonly { message: string }[] };
}

interface AdminAnswer {
  readonly runs: readonly Readonly<Record<string, unknown>>[];
  readonly simulate?: object;
  readonly error?: { readonly message: string };
}

const shared = await start({ after });

const ABOUT_LEI = { config: { sources: { [LEI_SOURCE]: true } }, inputs: LEI };

const send = async ({ url, token, workflow }: ReadyLine, path = "/data", body: object = ABOUT_LEI) => {
  const headers = { "X-Service-Access-Token": token, "X-Service-Workflow": workflow };
  const reply = await fetch(url + path, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await reply.json()) as Answer;
};

/** A folder for temporary files, and one to work in. */
function folders(t: TestContext) {
  const folder = project(t, {});
  const [tmp, work] = [join(folder, "tmp"), join(folder, "work")];
  for (const made of [tmp, work]) mkdirSync(made);
  return { tmp, work };
}

test("the examples of the contract are what a mock answers to their requests, but for its mark and its charges", async (t) => {
  const mock = await start(t, { set: ["hibp__breached_account=vendor_5xx"] });
  const differs = new Set(["response_time_ms", "transaction_id", "organization_tuid", "charged"]);
  const plain = (answer: unknown): unknown =>
    JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
      differs.has(name) ? typeof value : name === "mode" ? undefined : value,
    );
  for (const route of ROUTES) {
    if (route.method !== "POST") continue;
    for (const [name, { request, answer }] of Object.entries(route.examples)) {
      const { status, body } = await mock.send(route.path, request);
      assert.deepEqual([status, plain(body)], [200, plain(answer)], name);
    }
  }
});

test("it prints one line of JSON when it is ready, ends on a signal, and leaves nothing behind", async (t) => {
  const { tmp, work } = folders(t);
  const env = { TMPDIR: tmp, DATABASE_URL: "postgres://nobody@203.0.113.1/the-callers-own" };
  const mock = await mockCommand(t, ["--token", "my token", "--workflow", "mine"], { env, cwd: work });
  const { ready } = mock;
  assert.ok(ready !== null, mock.err());
  assert.deepEqual([ready.token, ready.workflow, ready.mode], ["my token", "mine", "simulated"]);
  assert.deepEqual(
    [new URL(ready.url).port, new URL(ready.admin_url).port],
    [ready.port, ready.admin_port].map(String),
  );
  assert.equal((await send(ready)).config["mode"], "simulated");
  mock.signal("SIGTERM");
  assert.equal(await mock.ended, 0);
  assert.deepEqual([mock.out().trimEnd().split("\n").length, mock.err()], [1, ""]);
  assert.deepEqual([readdirSync(tmp), readdirSync(work)], [[], []]);
});

test("where no temporary folder can be made, as in a container, it starts without one", async (t) => {
  const functions = {
    "functions/one.mjs": 'export default { id: "dfunc_one", title: "One", run: () => ({ output: { n: 1 } }) };',
  };
  const folder = project(t, functions);
  const { ready, err } = await mockCommand(t, ["--project", folder], {
    env: { TMPDIR: join(folder, "functions/one.mjs") },
  });
  assert.ok(ready !== null, err());
  const answer = await send(ready, "/func", { config: { data_func: "dfunc_one" } });
  assert.deepEqual(answer.outputs["dfunc_one"], { output: { n: 1 }, pipes: {} });
});

test("several at once have nothing to do with each other", async (t) => {
  const [one, other] = await Promise.all([mockCommand(t, ["--set", `${LEI_SOURCE}=vendor_5xx`]), mockCommand(t, [])]);
  const answers = await Promise.all([one, other].map((mock) => send(mock.ready!)));
  assert.deepEqual(
    answers.map(({ status }) => status[LEI_SOURCE]!.success),
    [false, true],
  );
  one.signal("SIGINT");
  assert.equal(await one.ended, 0);
  assert.equal((await send(other.ready!)).status[LEI_SOURCE]!.success, true);
});

test("what cannot be meant is refused before it listens, with 2 and what was probably meant", async (t) => {
  const refused: readonly (readonly [args: readonly string[], says: RegExp, env?: Record<string, string>])[] = [
    [["--set", "gleif__lei_recrd=timeout"], /There is no source "gleif__lei_recrd"\. Did you mean gleif__lei_record/],
    [
      ["--set", `${LEI_SOURCE}=timeot`],
      /"timeot" is not a failure that can be simulated for .* Did you mean timeout\?/,
    ],
    [["--set", `${LEI_SOURCE}=explode`], /It is one of no_record, slow, .*connection_lost/],
    [["--set", LEI_SOURCE], /must have the form SOURCE=FAILURE/],
    [["--set", "google__phone_number=timeout"], /calls no vendor/],
    [["--token", makeAccessToken()], /has the form of a real access token/],
    [[], /DATARUN_ROOT_KEY is set, as for a real service/, { DATARUN_ROOT_KEY: "x" }],
    [[], /DATARUN_ROOT_KEY_FILE is set/, { DATARUN_ROOT_KEY_FILE: "/run/secrets/key" }],
    [["--database-url", "postgres://db"], /Unknown option --database-url/],
  ];
  for (const [args, says, env = {}] of refused) {
    const mock = await mockCommand(t, args, { env });
    assert.equal(mock.ready, null, args.join(" "));
    assert.equal(await mock.ended, 2, mock.err());
    assert.match(mock.err(), says);
  }
});

test("its token and workflow are needed, and prod is refused: nobody decides on invented data", async () => {
  const body = ABOUT_LEI;
  for (const other of [{ token: "drt_other" }, { workflow: "wfl_other" }])
    assert.equal((await shared.send("/data", body, other)).status, 401);
  const asked = { config: { ...body.config, context: "prod" }, inputs: LEI };
  const prod = await shared.send("/data", asked);
  assert.equal(prod.status, 422);
  assert.equal(prod.body.error!.details[0]!.message, "must not be prod: this workflow is simulated");
});

test("every failure can be set by name, and a request that asks for another gets that", async (t) => {
  const outcome = async (mock: typeof shared, inputs: object) => {
    const { success, message, failure } = await mock.ask(LEI_SOURCE, inputs);
    return success ? message : failure!.kind;
  };
  const KINDS = { malformed: "contract", no_record: "No record found" } as const;
  for (const failure of MAGIC) {
    const set = await shared.admin("PUT", "/api/simulate", { [LEI_SOURCE]: failure });
    assert.deepEqual(set.body, { simulate: { [LEI_SOURCE]: failure } });
    // These take their time.
    if (failure === "timeout" || failure === "slow") continue;
    assert.equal(await outcome(shared, LEI), { ...KINDS }[failure as keyof typeof KINDS] ?? failure);
    assert.equal(await outcome(shared, { ...LEI, simulate: "rate_limited" }), "rate_limited");
  }
  assert.deepEqual((await shared.admin("DELETE", "/api/simulate")).body, { simulate: {} });
  assert.equal(await outcome(shared, LEI), "Record found");

  const set = [`${LEI_SOURCE}=vendor_4xx`, `${LEI_SOURCE}=timeout`];
  const impatient = await start(t, { set, timeoutMs: 20 });
  assert.equal(await outcome(impatient, LEI), "timeout", "the last one counts, and it waits no longer than it may");
  await impatient.admin("PUT", "/api/simulate", {});
  assert.equal(await outcome(impatient, LEI), "Record found");
  await impatient.admin("DELETE", "/api/simulate");
  assert.equal(await outcome(impatient, LEI), "timeout", "as it was started");
});

test("a failure of no known source, or of no known name, changes nothing while it runs either", async () => {
  for (const body of [{ gleif__lei_recrd: "timeout" }, { [LEI_SOURCE]: "timeot" }, { [LEI_SOURCE]: 1 }, []]) {
    const { status, body: answer } = await shared.admin("PUT", "/api/simulate", body);
    assert.equal(status, 422);
    assert.match(answer.error!.message, /Did you mean|It is one of|must be an object/);
  }
  assert.deepEqual((await shared.admin("GET", "/api/simulate")).body, { simulate: {} });
  assert.equal((await shared.admin("POST", "/api/runs")).status, 405);
  assert.equal((await shared.admin("GET", "/api/other")).status, 404);
});

test("a test reads what was asked, by names and never by values, and forgets it before the next", async (t) => {
  const asked = await start(t);
  const secret = "canary-93f1";
  await asked.send("/data", {
    config: {
      context: "test",
      sources: {
        [LEI_SOURCE]: { cred_id: "cred_any" },
        companies_house__company_profile: { credentials: { api_key: secret } },
        acme__none: true,
      },
    },
    inputs: { ...LEI, company_number: "0000000a", note: secret, simulate: { [LEI_SOURCE]: "no_record" } },
  });
  const func = { config: { data_func: "dfunc_contact_check" }, inputs: { phone: "+44 20 7946 0958", note: secret } };
  await asked.send("/func", func);
  const { runs } = (await asked.admin("GET", "/api/runs")).body;
  assert.ok(!JSON.stringify(runs).includes(secret));
  const [data, called] = runs.map(({ transaction_id, started_at, response_time_ms, ...rest }) => {
    assert.match(`${String(transaction_id)} ${String(started_at)} ${String(response_time_ms)}`, /^trx_\w+ \S+Z \d+$/);
    return rest;
  });
  assert.deepEqual(data, {
    endpoint: "/data",
    context: "test",
    inputs: ["lei", "company_number", "note", "simulate"],
    sources: [LEI_SOURCE, "companies_house__company_profile", "acme__none"],
    function: null,
    function_success: null,
    calls: [
      { source: LEI_SOURCE, success: true, match: false, failure: null, credential: "named" },
      {
        source: "companies_house__company_profile",
        success: true,
        match: true,
        failure: null,
        credential: "inline",
      },
      { source: "acme__none", success: false, match: false, failure: "unknown_source", credential: "none" },
    ],
  });
  assert.deepEqual(
    [called!["endpoint"], called!["function"], called!["function_success"]],
    ["/func", func.config.data_func, true],
  );
  assert.deepEqual(
    (called!["calls"] as { source: string }[]).map(({ source }) => source),
    ["google__phone_number"],
  );

  assert.deepEqual((await asked.admin("DELETE", "/api/runs")).body, { forgotten: 2 });
  assert.deepEqual((await asked.admin("GET", "/api/runs")).body, { runs: [] });
});

test("a credential of the request is checked as in any run, and every cred_id is there", async () => {
  const profile = "companies_house__company_profile";
  const inputs = { company_number: "0000000a" };
  const kind = async (entry: unknown) => (await shared.ask(profile, inputs, entry)).failure?.kind ?? "none";
  assert.equal(await kind({ credentials: { api_key: "any" } }), "none");
  assert.equal(await kind({ credentials: { api_kye: "any" } }), "credential");
  assert.equal(await kind({ cred_id: "cred_any" }), "none");
  assert.equal(await kind({ cred_id: "any" }), "credential");
});

test("sources and functions of a project folder work, and its config says which catalog sources are on", async (t) => {
  const folder = project(t, {
    "datarun.config.mjs":
      'export default { catalog: ["gleif__*"], region: "eu", database_url: "postgres://nobody@203.0.113.1/real", data_dir: "/nowhere" };',
    "sources/acme/company.yaml": `id: acme__company
title: Company
inputs: {type: object, required: [number], properties: {number: {type: string}}}
origins: ['https://api.acme.example']
request: {url: 'https://api.acme.example/companies/{{ inputs.number }}'}
match: {record: status == \`200\`, no_record: status == \`404\`}
cases:
  - {name: found, inputs: {number: '7'}, reply: {body: {name: EXAMPLE}}, expect: {match: true}}
`,
    "functions/both.mjs":
      'export default { id: "dfunc_both", title: "Both", async run({ inputs, run, region }) { const { output } = await run("acme__company", inputs); return { output, region }; } };',
  });
  const own = await start(t, { project: folder });
  assert.deepEqual((await own.ask("acme__company", { number: "7" })).output, { name: "EXAMPLE" });
  assert.equal((await own.ask(LEI_SOURCE, LEI)).success, true);
  assert.match((await own.ask("kvk__company_profile", {})).message, /^Adapter not found for/);
  const config = { data_func: "dfunc_both", datafunc_response_passthrough: true };
  const { body } = await own.send("/func", { config, inputs: { number: "7" } });
  const { response_time_ms: _, ...passed } = body as unknown as Record<string, unknown>;
  assert.deepEqual(passed, { output: { name: "EXAMPLE" }, region: "eu", mode: "simulated" });
});

test("a project that cannot be used is not served", async (t) => {
  const folder = project(t, { "sources/acme/broken.yaml": "id: acme__broken\n" });
  const mock = await mockCommand(t, ["--project", folder]);
  assert.equal(mock.ready, null);
  assert.equal(await mock.ended, 1);
  assert.match(mock.err(), /these files cannot be used:\n.*broken\.yaml/);
});

test("no vendor is ever contacted, whichever source is asked and however", async (t) => {
  const asked = await start(t);
  const { all } = await openSources(undefined);
  const reached = new Set<unknown>();
  const connect = replace.method(Socket.prototype, "connect", function (this: Socket, ...to: unknown[]) {
    const [options] = (Array.isArray(to[0]) ? to[0] : to) as [{ readonly host?: string }];
    reached.add(options.host);
    return Reflect.apply(ownConnect, this, to) as Socket;
  });
  t.after(() => connect.mock.restore());
  let records = 0;
  for (const { source } of all.values()) {
    const found = (source.declaration.cases ?? []).find(({ expect }) => "match" in expect && expect.match);
    const { success, message } = await asked.ask(source.id, found?.inputs ?? {});
    assert.ok(success, `${source.id}: ${message}`);
    records += 1;
    if (!source.leavesMachine) continue;
    for (const simulate of ["vendor_5xx", "connection_lost"])
      await asked.ask(source.id, { ...found!.inputs, simulate });
  }
  assert.ok(records > 30);
  assert.deepEqual([...reached], ["127.0.0.1"], "the test's own requests");
});

const ownConnect = Socket.prototype.connect;
