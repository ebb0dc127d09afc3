import assert from "node:assert/strict";
import { test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import type { Organization } from "../rig/organization.ts";
import { startService, type TestService } from "../rig/service.ts";
import { asksVendor, sendsCredential, source } from "../rig/sources.ts";
import { project } from "../start/project-folder.ts";
import { json, type Behaviour } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const status = async (service: TestService, source: string, as: Organization, entry: unknown = true) =>
  (await service.run({ [source]: entry }, {}, { as })).json().status[source] as { success: boolean; message: string };

test("a breaker that opened for one organization is closed for the other, with its credential and without one", async (t) => {
  const refusesA: Behaviour = (socket, request) =>
    (request.headers["x-api-key"]?.endsWith("-of-b") ? json({ ok: true }) : json({}, { status: 503 }))(socket, request);
  const vendor = await startVendor(t, { paths: { "/keyed": refusesA, "/open": json({}, { status: 503 }) } });
  const service = await startService(t, {
    sources: [sendsCredential("acme__keyed", vendor, "/keyed"), asksVendor("acme__open", vendor, "/open")],
    vendors: [vendor],
  });
  const { a, b } = service;
  const entryOf = (name: string) => ({ credentials: { api_key: `inline-key-of-${name}` } });
  for (let count = 0; count < 25; count += 1) {
    await status(service, "acme__keyed", a, entryOf("a"));
    await status(service, "acme__open", a);
  }
  assert.match((await status(service, "acme__keyed", a, entryOf("a"))).message, /has been failing/);
  assert.match((await status(service, "acme__open", a)).message, /has been failing/);
  assert.equal((await status(service, "acme__keyed", b, entryOf("b"))).success, true);
  assert.match((await status(service, "acme__open", b)).message, /503/, "it was called");
  // The same words as a credential are not the same credential when another organization sends them.
  assert.match((await status(service, "acme__keyed", b, entryOf("a"))).message, /503/, "it was called");
});

test("one organization cannot use up what a source's rate gives each credential", async (t) => {
  const vendor = await startVendor(t);
  const rate = [{ max: 3, every_ms: 3_600_000, per: "credential" as const }];
  const service = await startService(t, {
    sources: [
      asksVendor("acme__open", vendor, "/json", { limits: { rate } }),
      sendsCredential("acme__keyed", vendor, "/keyed", { limits: { rate } }),
    ],
    vendors: [vendor],
  });
  const { a, b } = service;
  const entry = { credentials: { api_key: "the-same-key-of-both" } };
  for (const source of ["acme__open", "acme__keyed"]) {
    const said = [];
    for (let count = 0; count < 4; count += 1) said.push((await status(service, source, a, entry)).success);
    assert.deepEqual(said, [true, true, true, false]);
    assert.equal((await status(service, source, b, entry)).success, true);
  }
});

test("a token that was fetched with one organization's credential never goes out for the other", async (t) => {
  const tokens: Behaviour = (socket, request) => {
    const { client_secret } = Object.fromEntries(new URLSearchParams(request.body.toString())) as Record<
      string,
      string
    >;
    json({ access_token: `fetched-for-${client_secret}`, expires_in: 3600 })(socket, request);
  };
  const vendor = await startVendor(t, { paths: { "/token": tokens, "/people": json({ ok: true }) } });
  const source = compileDeclarative(
    `
id: acme__people
title: People
origins: ["${vendor.origin}"]
inputs: { type: object, properties: {} }
credentials: { type: object, required: [id, secret], properties: { id: { type: string }, secret: { type: string } } }
auth:
  kind: token_exchange
  request: { method: POST, url: "${vendor.origin}/token", body: { form: { client_secret: "{{ credentials.secret }}" } } }
  token: body.access_token
  expires_in: body.expires_in
request: { method: GET, url: "${vendor.origin}/people" }
match: { record: "status == \`200\`", no_record: "status == \`404\`" }
map: { ok: body.ok }
`,
    "people.yaml",
  );
  const service = await startService(t, { sources: [source], vendors: [vendor] });
  const { a, b, operator } = service;
  for (const [organization, name] of [
    [a, "a"],
    [b, "b"],
  ] as const) {
    const fields = { id: "the-same-client", secret: `secret-word-of-${name}` };
    await operator.storeCredential(organization, { source: "acme__people", fields, isDefault: true });
  }
  for (const as of [a, b, a, b]) assert.equal((await status(service, "acme__people", as)).success, true);
  const sent = vendor.requests.filter(({ path }) => path === "/people").map(({ headers }) => headers["authorization"]);
  assert.deepEqual(
    sent,
    ["a", "b", "a", "b"].map((name) => `Bearer fetched-for-secret-word-of-${name}`),
  );
  assert.equal(vendor.count("/token"), 2, "each was fetched once");
});

const LEAKY = `let kept = 0; const list = [];
export default { id: "dfunc_leaky", title: "T", async run({ inputs, config }) {
  const before = { kept, list: [...list], global: globalThis.left ?? null, proto: ({}).left ?? null };
  kept += 1; list.push(inputs.note); globalThis.left = inputs.note; Object.prototype.left = inputs.note;
  return { output: { before, organization: config.organization_tuid } };
} };`;

test("what a function leaves behind, in a module, on its globals or on a prototype, no other run ever sees", async (t) => {
  const folder = project(t, { "functions/leaky.mjs": LEAKY });
  const service = await startService(t, { project: folder });
  const { a, b } = service;
  const nothing = { kept: 0, list: [], global: null, proto: null };
  for (const as of [a, b, a, a, b]) {
    const reply = await service.post(
      "/func",
      { config: { data_func: "dfunc_leaky" }, inputs: { note: `note-of-${as.id}` } },
      { as },
    );
    assert.deepEqual(reply.json().outputs["dfunc_leaky"].output, { before: nothing, organization: as.id });
  }
});

test("a rate per credential and the breaker count by the fields that name the account, and tokens by all", async (t) => {
  const token: Behaviour = (socket, request) =>
    json({ access_token: `for-${request.path}`, expires_in: 3600 })(socket, request);
  const vendor = await startVendor(t, {
    paths: {
      "/token/eu": token,
      "/token/us": token,
      "/people": json({ ok: true }),
      "/dead": json({}, { status: 503 }),
    },
  });
  const declared = (name: string, limits: string) => `
id: acme__${name}
title: People
origins: ["${vendor.origin}"]
inputs: { type: object, properties: {} }
credentials:
  type: object
  required: [key]
  properties: { key: { type: string, x-identity: true }, region: { type: string } }
auth:
  kind: token_exchange
  request: { method: GET, url: "${vendor.origin}/token/{{ credentials.region }}" }
  token: body.access_token
  expires_in: body.expires_in
request: { method: GET, url: "${vendor.origin}/${name}" }
match: { record: "status == \`200\`", no_record: "status == \`404\`" }
map: { ok: body.ok }
${limits}
`;
  const rate = "limits: { rate: [{ per: credential, max: 3, every: 1d }] }";
  const service = await startService(t, {
    sources: [
      compileDeclarative(declared("people", rate), "people.yaml"),
      compileDeclarative(declared("dead", ""), "dead.yaml"),
    ],
    vendors: [vendor],
  });
  const ask = async (name: string, key: string, region: string) =>
    status(service, `acme__${name}`, service.a, { credentials: { key, region } });
  const said = [];
  for (const region of ["eu", "us", "eu", "us", "other"]) said.push((await ask("people", "K", region)).success);
  assert.deepEqual(said, [true, true, true, false, false]);
  assert.equal((await ask("people", "another", "eu")).success, true);
  const sent = vendor.requests.filter(({ path }) => path === "/people").map(({ headers }) => headers["authorization"]);
  assert.deepEqual(
    sent.slice(0, 3),
    ["eu", "us", "eu"].map((region) => `Bearer for-/token/${region}`),
  );
  assert.equal(vendor.count("/token/eu"), 2, "a token of its own for each credential");

  for (let count = 0; count < 20; count += 1) await ask("dead", "K", count % 2 === 0 ? "eu" : "us");
  assert.match((await ask("dead", "K", "eu")).message, /has been failing/);
});

test("a field that its source does not know does not change an inline credential, and is not sent", async (t) => {
  const vendor = await startVendor(t, { paths: { "/dead": json({}, { status: 503 }) } });
  const rate = [{ max: 3, every_ms: 3_600_000, per: "credential" as const }];
  const seen: unknown[] = [];
  const keyed = sendsCredential("acme__limited", vendor, "/keyed", { limits: { rate } });
  const service = await startService(t, {
    sources: [
      {
        ...keyed,
        run: (call) => {
          seen.push(call.credentials);
          return keyed.run(call);
        },
      },
      sendsCredential("acme__dead", vendor, "/dead"),
    ],
    vendors: [vendor],
  });
  const entry = (count: number) => ({
    credentials: { [`made_up_${count}`]: "", api_key: "always-the-same-key", n: count },
  });
  const said = [];
  for (let count = 0; count < 5; count += 1)
    said.push((await status(service, "acme__limited", service.a, entry(count))).success);
  assert.deepEqual(said, [true, true, true, false, false]);
  assert.deepEqual(
    seen,
    Array.from({ length: 3 }, () => ({ api_key: "always-the-same-key" })),
  );
  for (let count = 0; count < 40; count += 1) await status(service, "acme__dead", service.a, entry(count));
  assert.ok(vendor.count("/dead") <= 20, `a vendor that is down was called ${vendor.count("/dead")} times`);
});

test("what an adapter does to a credential is seen by no other run, nor by the answer", async (t) => {
  const seen: unknown[] = [];
  const meddles = source(
    "acme__meddles",
    ({ credentials }) => {
      seen.push(structuredClone(credentials));
      try {
        (credentials as Record<string, unknown>)["session"] = "left behind";
      } catch {
        // Frozen: that is the point.
      }
      try {
        (credentials["login"] as unknown as Record<string, unknown>)["token"] = "left behind";
      } catch {
        // And so is what is in it.
      }
      return null;
    },
    { credentials: { type: "object", properties: { api_key: {}, login: {} } } },
  );
  const service = await startService(t, { sources: [meddles] });
  const fields = { api_key: "the-stored-key-of-a" };
  const id = await service.operator.storeCredential(service.a, { source: "acme__meddles", fields });
  for (let count = 0; count < 2; count += 1) await service.run({ acme__meddles: { cred_id: id } });
  const sent = { credentials: { api_key: "the-inline-key-of-a", login: { user: "another-user-of-a" } } };
  const reply = await service.run({ acme__meddles: sent });
  assert.deepEqual(reply.json().config.sources.acme__meddles, sent);
  assert.deepEqual(seen, [fields, fields, sent.credentials]);
});
