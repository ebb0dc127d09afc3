import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { test } from "node:test";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { includesRole, ROLES } from "../../src/admin/roles.ts";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { asksVendor, sendsCredential } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { after as later, json as answer } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const notesIn = (header: unknown) => JSON.parse(decodeURIComponent(header as string)) as string[];

test("each verb is open to its role and the ones above, and to no other", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const people = await Promise.all(ROLES.map(async (role) => ({ role, ...(await service.operator.appoint(role)) })));
  const verbs = findVerbs();
  for (const name of verbs.names) {
    const verb = await verbs.load(name);
    for (const person of people) {
      // No verb takes this input, so none is carried out.
      const { statusCode, text } = await call(name, { no_such_input: 1 }, { as: person });
      const expected = verb.terminalOnly === true ? 404 : includesRole(person.role, verb.role) ? 422 : 403;
      assert.equal(statusCode, expected, `${name} by ${person.role}: ${text}`);
      if (statusCode === 403) assert.match(text, new RegExp(`takes the role ${verb.role}`));
    }
  }
});

test("what an operator does over the API takes effect in the service, and is recorded under the operator's name", async (t) => {
  const vendor = await startVendor(t);
  const source = sendsCredential("acme__people", vendor, "/json");
  const service = await startService(t, { sources: [source], vendors: [vendor] });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const [ada, owner] = [await service.operator.appoint("operator", "ada"), await service.operator.appoint("owner")];

  const { organization_tuid: org } = await result("org create", { name: "Acme" }, ada);
  const { token_id, access_token } = await result("token create", { org, expires_in: "1d" }, ada);
  const { workflow } = await result("workflow create", { org, auto_credentials: true }, ada);
  const key = service.secrets.add("a-vendor-key-that-nobody-sees");
  const { cred_id } = await result("credential create", { org, source: "acme__people", fields: { api_key: key } }, ada);
  const as = { token: access_token as string, workflow: workflow as string };
  assert.equal((await service.run({ acme__people: true }, {}, { as })).json().status.acme__people.success, true);

  assert.equal((await result("workflow set", { workflow, failure_details: true }, ada)).failure_details, true);
  assert.equal((await result("org rename", { org, name: "Acme Ltd" }, ada)).name, "Acme Ltd");
  for (const verb of ["credential disable", "credential enable"]) await result(verb, { cred_id }, ada);
  assert.equal((await result("credential explain", { workflow, source: "acme__people" }, ada)).cred_id, cred_id);
  const price = { cred_id, amount: "0.35", currency: "EUR", from: "2026-01-01" };
  assert.equal((await result("credential price set", price, owner)).amount, "0.35");
  assert.equal((await result("credential price list", { cred_id }, ada)).prices.length, 1);
  assert.equal((await result("credential price remove", { cred_id, from: "2026-01-01" }, owner)).removed, 1);
  assert.equal((await result("credential list", { org }, ada)).credentials.length, 1);
  assert.equal((await result("keys verify", {}, ada)).credentials, 1);
  const rotated = await result("keys rotate", { new_data_keys: true }, owner);
  assert.equal(rotated.credentials_resealed, 1);
  assert.equal((await service.run({ acme__people: true }, {}, { as })).json().status.acme__people.success, true);
  // With a shared database the root keys are not files, and are removed where they are given.
  const removed = await call("keys remove-old", {}, { as: owner });
  assert.equal(removed.statusCode, process.env["TEST_STORE"] === "postgres" ? 409 : 200, removed.text);
  assert.equal((await result("credential delete", { cred_id }, ada)).deleted, true);
  for (const verb of ["workflow disable", "workflow enable"]) await result(verb, { workflow }, ada);
  for (const verb of ["org disable", "org enable"]) await result(verb, { org }, ada);
  await result("token revoke", { token_id }, ada);
  await until(async () => (await service.post("/data", {}, { as })).statusCode === 401);
  assert.equal((await result("token list", { org }, ada)).tokens[0].state, "revoked");
  assert.equal((await result("workflow list", { org }, ada)).workflows.length, 1);
  assert.ok(
    (await result("org list", {}, ada)).organizations.some(({ name }: { name: string }) => name === "Acme Ltd"),
  );
  assert.equal((await call("keys discard", { key: `key_${"0".repeat(32)}` }, { as: owner })).statusCode, 404);

  const entries = (await result("audit list", { org }, ada)).entries as { who: string; via: string; what: string }[];
  assert.deepEqual(new Set(entries.map(({ who, via }) => `${who} ${via}`)), new Set(["ada api", "owner api"]));
  const rotation = ((await result("audit list", {}, ada)).entries as typeof entries).find(
    ({ what }) => what === "keys rotate",
  );
  assert.deepEqual([rotation?.who, rotation?.via], ["owner", "api"]);
});

test("runs, cases, and the ledger are there over the API", async (t) => {
  const vendor = await startVendor(t);
  const lost = asksVendor("acme__lost", vendor, "/status/500");
  const service = await startService(t, { sources: [lost], vendors: [vendor] });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const owner = await service.operator.appoint("owner");
  const { workflow } = service.a;

  const run = await result("source run", { source: "acme__lost", workflow }, ada);
  service.expectRunWithoutAnswer();
  assert.equal(run.status.success, false);
  const unknown = await call("function run", { function: "dfunc_nobody", workflow }, { as: ada });
  assert.deepEqual([unknown.statusCode, /There is no function/.test(unknown.text)], [404, true], unknown.text);
  assert.equal((await result("source list", {}, ada)).sources.length, 2);
  assert.equal((await result("source show", { source: "acme__lost" }, ada)).source, "acme__lost");
  assert.equal((await result("source test", { source: "ok__echo" }, ada)).sources[0].source, "ok__echo");
  assert.deepEqual((await result("function list", {}, ada)).functions, []);

  let listed: { transaction_id: string }[] = [];
  await until(async () => (listed = (await result("ledger list", {}, ada)).runs).length === 1);
  const transaction = run.transaction_id as string;
  assert.ok(listed.some((one) => one.transaction_id === transaction));
  const shown = await result("ledger show", { transaction }, ada);
  assert.equal(shown.calls[0].source, "acme__lost");
  assert.equal((await result("ledger unknown", {}, ada)).requests.length, 1);
  const settled = await result("ledger reconcile", { transaction, call: 0, charged: "no", note: "asked them" }, ada);
  assert.equal(settled.call_charged, "no");
  assert.equal((await result("ledger show", { transaction }, ada)).reconciliations[0].decided_by, "ada");
  const month = new Date().toISOString().slice(0, 7);
  assert.equal((await result("ledger summary", { month }, ada)).charges[0].not_charged, 1);
  const span = { from: "2020-01-01", to: "2100-01-01" };
  assert.equal((await result("ledger spend", { by: "source", ...span }, ada)).spend[0].source, "acme__lost");
  const { ledgers } = await result("ledger verify", {}, ada);
  assert.ok(ledgers.every((one: { damaged: number; ok: number }) => one.damaged === 0 && one.ok === 1));
  assert.equal((await result("ledger prune", { before: "2020-01-01" }, owner)).deleted, 0);
});

test("a budget that an owner sets over the API stops calls that exceed it, until it is removed", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, { sources: [asksVendor("acme__people", vendor, "/json")], vendors: [vendor] });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const [ada, owner] = [await service.operator.appoint("operator", "ada"), await service.operator.appoint("owner")];
  const { id: org } = service.a;
  const run = async () => (await service.run({ acme__people: true })).json().status.acme__people;

  const { budget, limit } = await result("budget set", { org, per: "month", calls: 1 }, owner);
  assert.equal(limit, "1 request");
  assert.equal((await run()).success, true);
  const refused = await run();
  assert.equal(refused.success, false);
  assert.ok(refused.message.includes(budget), refused.message);
  assert.equal(vendor.count(), 1);
  const { budgets } = await result("budget list", { org }, ada);
  assert.deepEqual(
    budgets.map((one: { budget: string }) => one.budget),
    [budget],
  );
  assert.equal((await result("budget show", { budget }, ada)).limit, "1 request");
  assert.equal((await result("budget remove", { budget }, owner)).removed, true);
  await until(async () => (await run()).success);
});

test("an owner appoints and dismisses operators; a name is one person's", async (t) => {
  const service = await startService(t);
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner");
  const made = await result("operator create", { name: "grace", role: "viewer" }, owner);
  const grace = { token: made.operator_token as string };
  assert.equal((await call("org list", undefined, { as: grace })).statusCode, 200, "no body is an empty input");
  const again = await call("operator create", { name: "grace", role: "owner" }, { as: owner });
  assert.deepEqual([again.statusCode, again.json().error.code], [409, "refused"]);
  assert.equal((await result("operator revoke", { operator: "grace" }, owner)).state, "revoked");
  assert.equal((await call("org list", {}, { as: grace })).statusCode, 401);
  assert.equal((await result("operator list", {}, owner)).operators.length, 2);
});

test("remarks come beside the result, as many as a header may hold", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const { headers } = await call("audit list", { limit: 1 }, { as: ada });
  assert.match(notesIn(headers["datarun-notes"])[0]!, /^There are more\. To see them, give --after adt_/);
  assert.equal((await call("org list", {}, { as: ada })).headers["datarun-notes"], undefined);
});

const WRONG_BODIES = [
  ["is not JSON", "{", {}, /is not valid JSON/],
  ["is a list", "[]", {}, /must be an object/],
  ["is nested deeply", `{"org":${"[".repeat(80)}${"]".repeat(80)}}`, {}, /is not valid JSON \(too_deep\)/],
  ["is too large", `{"org":"${"x".repeat(1_100_000)}"}`, {}, /is larger than 1048576 bytes/],
  ["has another media type", '{"limit":1}', { "Content-Type": "text/plain" }, /must be sent as application\/json/],
  [
    "is a form",
    "limit=1",
    { "Content-Type": "application/x-www-form-urlencoded" },
    /must be sent as application\/json/,
  ],
  ["is compressed", '{"limit":1}', { "Content-Encoding": "gzip" }, /must be sent as application\/json/],
  ["does not match the schema", '{"limit":0,"another":1}', {}, /\/another is not .*; \/limit must be/],
] as const;

test("a body that is wrong in any way is refused with 422", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  for (const [what, body, headers, says] of WRONG_BODIES) {
    const { statusCode, text } = await call("audit list", body, { as: ada, headers });
    assert.equal(statusCode, 422, `${what}: ${text}`);
    assert.match(text, says);
  }
  const forTerminals = await call("source test", { source: "ok__echo", record: true }, { as: ada });
  assert.deepEqual([forTerminals.statusCode, forTerminals.json().error.details[0].path], [422, "/record"]);
});

test("a body without a length that is too large is refused before its end", async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("operator", "ada");
  const { hostname, port } = new URL(service.adminUrl);
  const headers = { Authorization: `Bearer ${ada.token}`, "Content-Type": "application/json" };
  const outgoing = request({ hostname, port, method: "POST", path: "/api/org/list", headers });
  const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
  for (let sent = 0; sent < 20; sent += 1) outgoing.write("x".repeat(65_536));
  const [reply] = await answered;
  assert.equal(reply.statusCode, 422);
  assert.match(await readText(reply), /is larger than 1048576 bytes/);
  outgoing.end();
});

test("another path is 404, and another method 405", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("owner", "ada");
  for (const name of ["nothing", "token", "token list x", "..", "toString", "token%20list"])
    assert.equal((await call(name, {}, { as: ada })).statusCode, 404, name);
  for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
    const reply = await call("org list", undefined, { as: ada, method });
    assert.deepEqual([reply.statusCode, reply.headers["allow"]], [405, "POST"], method);
  }
});

test("a command in progress when the service stops is completed, and no further one is started", async (t) => {
  const vendor = await startVendor(t, { paths: { "/slow": later(800, answer({ ok: true })) } });
  const service = await startService(t, { sources: [asksVendor("acme__slow", vendor, "/slow")], vendors: [vendor] });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const running = call("source run", { source: "acme__slow", workflow: service.a.workflow }, { as: ada });
  await vendor.received(1);
  service.expectRunWithoutAnswer();
  const closing = service.close();
  const further = await call("org list", {}, { as: ada });
  assert.deepEqual([further.statusCode, further.json().error.code], [503, "unavailable"]);
  const ended = await running;
  assert.equal(ended.statusCode, 200, ended.text);
  assert.equal(ended.json().status.success, true);
  await closing;
});

test("a service that nobody has asked before refuses a command while it stops", async (t) => {
  const vendor = await startVendor(t, { paths: { "/slow": later(800, answer({ ok: true })) } });
  const service = await startService(t, { sources: [asksVendor("acme__slow", vendor, "/slow")], vendors: [vendor] });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const running = service.run({ acme__slow: true });
  await vendor.received(1);
  const closing = service.close();
  const refused = await call("org list", {}, { as: ada });
  assert.deepEqual([refused.statusCode, refused.json().error.code], [503, "unavailable"]);
  assert.equal((await running).statusCode, 200);
  await closing;
});

test("the public port has no admin API", async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("owner", "ada");
  const headers = { Authorization: `Bearer ${ada.token}`, "Content-Type": "application/json" };
  assert.equal((await service.send("POST", "/api/org/list", { headers, body: "{}" })).statusCode, 404);
});
