import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { inTurn, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

// Simulated and real runs of the same organization, on the same sources, by the same credentials, at the same time.

const vendor = await startVendor({ after });
vendor.on("/login", json({ token: "real-token", expires_in: 3600 }));
vendor.on("/person", json({ id: "real" }));

const login = (id: string, more = "") => `
id: ${id}
title: A login
inputs: {type: object, properties: {name: {type: string}}}
credentials: {type: object, required: [key], properties: {key: {type: string}}}
origins: ['${vendor.origin}']
auth:
  kind: token_exchange
  request: {method: POST, url: '${vendor.origin}/login', body: {form: {key: '{{ credentials.key }}'}}}
  token: body.token
  expires_in: body.expires_in
request: {url: '${vendor.origin}/person'}
match: {record: body.id, no_record: 'status == \`404\`'}
map: {id: body.id}
${more}
cases:
  - name: found
    inputs: {name: ada}
    reply: [{body: {token: INVENTED-token, expires_in: 86400}}, {body: {id: invented}}]
    expect: {match: true, output: {id: invented}}
  - name: nobody
    inputs: {name: nobody}
    reply: [{body: {token: INVENTED-token, expires_in: 86400}}, {status: 404}]
    expect: {match: false}
`;
const compiled = (id: string, more?: string) => compileDeclarative(login(id, more), `${id}.yaml`);
const limited =
  "limits: {concurrency: 1, rate: [{per: credential, max: 2, every: 1h}, {per: source, max: 2, every: 1h}]}";

const folder = project(
  { after },
  Object.fromEntries(
    Object.entries({
      tells: "return { output: { score: 720 } };",
      hides: `return { mode: "real", output: { score: 720 } };`,
      nothing: "",
      raises: `throw new Error("no");`,
      pipes: `await pipe("step", () => 1); throw new Error("no");`,
      lies: `return { config: { mode: "live" }, response_time_ms: 1, mode: null };`,
    }).map(([id, body]) => [
      `functions/${id}.mjs`,
      `export default { id: "dfunc_${id}", title: "${id}", async run({ pipe }) { ${body} } };`,
    ]),
  ),
);
const HELD = 12;
const held = Promise.withResolvers<void>();
let calls = 0;

const service = await startService(
  { after },
  {
    project: folder,
    vendors: [vendor],
    settings: { "limits.runs_per_organization": 2 * HELD },
    sources: [
      ...["login__named", "login__inline", "login__reverse", "login__breaker"].map((id) => compiled(id)),
      compiled("login__limited", limited),
      source(
        "acme__header",
        ({ http, inputs }) => http.get(vendor.origin, { headers: { "x-name": inputs["name"] as string } }),
        {
          inputs: { type: "object", properties: { name: { type: "string" } } },
          origins: [vendor.origin],
          limits: { max_bytes: 100 },
          cases: [
            { name: "found", inputs: { name: "ada" }, reply: { body: { id: 1 } }, expect: { match: true } },
            {
              name: "too large",
              inputs: { name: "large" },
              reply: { body: { id: "x".repeat(200) } },
              expect: { failure: "contract" },
            },
            {
              name: "not modified",
              inputs: { name: "304" },
              reply: { status: 304, headers: { location: "/" } },
              expect: { failure: "contract" },
            },
          ],
        },
      ),
      source("acme__trace", ({ http }) => http.request("TRACE", vendor.origin), {
        origins: [vendor.origin],
        cases: [{ name: "found", inputs: {}, reply: { body: { id: 1 } }, expect: { match: true } }],
      }),
      source("acme__holds", async () => {
        if (calls++ < HELD) await held.promise;
        return {};
      }),
      source("acme__user", ({ http }) => http.get(vendor.origin.replace("//", "//me@")), {
        origins: [vendor.origin],
        cases: [{ name: "found", inputs: {}, reply: { body: { id: 1 } }, expect: { match: true } }],
      }),
    ],
  },
);
const { a, operator } = service;
const simulated = { ...a, workflow: await operator.createWorkflow(a.id, { simulated: true, failureDetails: true }) };
const real = { ...a, workflow: await operator.createWorkflow(a.id, { failureDetails: true }) };

async function ask(id: string, as: typeof a, entry: unknown, inputs: object = { name: "ada" }) {
  const reply = (await service.run({ [id]: entry }, inputs, { as })).json();
  assert.equal(reply.config.mode, as === simulated ? "simulated" : undefined);
  return { output: reply.outputs[id], ...reply.status[id] };
}
const stored = (id: string) => operator.storeCredential(a, { source: id, fields: { key: `canary-key-of-${id}` } });

test("no invented token reaches a vendor, whichever credential a simulated run and a real one share", async () => {
  const named = { cred_id: await stored("login__named") };
  for (const [id, entry] of [
    ["login__named", named],
    ["login__inline", { credentials: { key: "inline-key-77" } }],
  ] as const) {
    assert.deepEqual((await ask(id, simulated, entry)).output, { id: "invented" });
    assert.deepEqual((await ask(id, real, entry)).output, { id: "real" });
    assert.deepEqual((await ask(id, simulated, entry)).output, { id: "invented" });
  }
  const sent = vendor.requests.map(({ headers }) => headers["authorization"]).filter((value) => value !== undefined);
  assert.deepEqual([...new Set(sent)], ["Bearer real-token"]);
});

test("a token of the vendor's is used by no simulated run", async () => {
  const entry = { cred_id: await stored("login__reverse") };
  assert.deepEqual((await ask("login__reverse", real, entry)).output, { id: "real" });
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual((await ask("login__reverse", simulated, entry)).output, { id: "invented" });
  }
  const both = await Promise.all([simulated, real, simulated].map((as) => ask("login__reverse", as, entry)));
  assert.deepEqual(
    both.map(({ output }) => output.id),
    ["invented", "real", "invented"],
  );
});

test("a source that logs in is simulated as often as one likes, in every way that it can be", async () => {
  const entry = { credentials: { key: "inline-key-78" } };
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await ask("login__inline", simulated, entry)).match, true);
    assert.equal((await ask("login__inline", simulated, entry, { name: "nobody" })).message, "No record found");
    assert.equal(
      (await ask("login__inline", simulated, entry, { name: "ada", simulate: "vendor_5xx" })).failure.kind,
      "vendor_5xx",
    );
  }
  const before = vendor.count();
  await Promise.all(Array.from({ length: 8 }, () => ask("login__inline", simulated, true)));
  assert.equal(vendor.count(), before, "and the vendor hears nothing of it");
});

test("what a simulated vendor is made to do opens no breaker, and uses no rate or slot of others", async () => {
  const entry = { cred_id: await stored("login__breaker") };
  for (let round = 0; round < 25; round += 1) {
    assert.equal((await ask("login__breaker", simulated, entry, { simulate: "vendor_5xx" })).success, false);
  }
  assert.deepEqual((await ask("login__breaker", real, entry)).output, { id: "real" });

  const limits = { cred_id: await stored("login__limited") };
  const slow = ask("login__limited", simulated, limits, { name: "ada", simulate: "slow" });
  for (let round = 0; round < 4; round += 1) assert.equal((await ask("login__limited", simulated, limits)).match, true);
  assert.equal((await ask("login__limited", real, limits)).match, true);
  assert.equal((await ask("login__limited", real, limits)).match, true);
  assert.equal((await ask("login__limited", real, limits)).failure.kind, "shed", "its own two are used up");
  assert.equal((await ask("login__limited", simulated, limits)).match, true, "which is nothing to a simulated call");
  await slow;
});

test("a breaker that a vendor has opened stops no simulated call", async () => {
  vendor.on("/person", json({}, { status: 503 }));
  const entry = { credentials: { key: "inline-key-79" } };
  for (let round = 0; round < 21; round += 1) await ask("login__inline", real, entry);
  assert.equal((await ask("login__inline", real, entry)).failure.kind, "shed");
  assert.deepEqual((await ask("login__inline", simulated, entry)).output, { id: "invented" });
  vendor.on("/person", inTurn(json({ id: "real" })));
});

test("invented outcomes are counted as simulated runs, and of no vendor", async () => {
  const page = async () => (await fetch(`${service.adminUrl}/metrics`)).text();
  const ofSources = (text: string) => text.split("\n").filter((line) => line.includes('source="login__named"'));
  const before = await page();
  await ask("login__named", simulated, true, { simulate: "timeout", name: "ada" }).catch(() => {});
  await ask("login__named", simulated, true, { simulate: "vendor_5xx" });
  const afterwards = await page();
  assert.deepEqual(ofSources(afterwards), ofSources(before));
  assert.match(afterwards, /datarun_runs_total\{kind="data",outcome="simulated"\} \d+/);
});

test("a source is refused in a simulated run what it would be refused in a real one", async () => {
  const both = async (id: string, name: string) => {
    const message = async (as: typeof a) => (await ask(id, as, true, { name })).message as string;
    return [await message(simulated), await message(real)] as const;
  };
  for (const [id, name] of [
    ["acme__header", "l\u00edn\u0129\r\ne"],
    ["acme__trace", "x"],
    ["acme__user", "x"],
  ] as const) {
    const [played, sent] = await both(id, name);
    assert.match(played, /^Adapter error: /);
    assert.equal(played, sent, id);
  }
  assert.match((await ask("acme__header", simulated, true, { name: "large" })).message, /it is too large$/);
  assert.match(
    (await ask("acme__header", simulated, true, { name: "304" })).message,
    /a redirect that is not followed$/,
  );
});

test("every answer of a simulated workflow is marked in passthrough mode too, whatever the function says", async () => {
  for (const id of ["tells", "hides", "nothing", "raises", "pipes", "lies", "unknown"]) {
    for (const datafunc_response_passthrough of [true, false]) {
      const config = { data_func: `dfunc_${id}`, datafunc_response_passthrough };
      const invented = (await service.post("/func", { config }, { as: simulated })).json();
      const mark = datafunc_response_passthrough ? invented.mode : invented.config.mode;
      assert.equal(mark, "simulated", `${id} ${datafunc_response_passthrough}`);
      const true_ = (await service.post("/func", { config }, { as: real })).json();
      assert.ok(datafunc_response_passthrough ? true_.mode !== "simulated" : !("mode" in true_.config), id);
    }
  }
});

test("simulated runs that take long leave the real ones as many places as they have", async () => {
  const run = (as: typeof a) => service.run({ acme__holds: true }, {}, { as });
  const long = Array.from({ length: HELD }, () => run(simulated));
  await until(() => calls === HELD);
  assert.equal((await run(simulated)).json().error.code, "overloaded");
  for (const { statusCode } of await Promise.all(Array.from({ length: HELD }, () => run(real))))
    assert.equal(statusCode, 200);
  held.resolve();
  for (const { statusCode } of await Promise.all(long)) assert.equal(statusCode, 200);
});
