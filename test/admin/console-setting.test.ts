import assert from "node:assert/strict";
import { test } from "node:test";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { adminPort } from "../rig/admin.ts";
import { logIn, pageOf } from "../rig/browser-session.ts";
import { startService } from "../rig/service.ts";

test("on a read-only console the API refuses every change to a session, and none to a token", async (t) => {
  const service = await startService(t, { settings: { console: "read_only" } });
  const port = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("owner", "ada");
  const headers = { ...pageOf(service), Cookie: await logIn(port, service, ada) };
  assert.equal((await port.call("session show", undefined, { headers })).json().console, "read_only");
  const verbs = findVerbs();
  for (const name of verbs.names) {
    const verb = await verbs.load(name);
    if (verb.terminalOnly === true) continue;
    // No verb takes this input, so none is carried out.
    const asked = { no_such_input: 1 };
    const inSession = await port.call(name, asked, { headers });
    assert.equal(inSession.statusCode, verb.changes ? 403 : 422, `${name}: ${inSession.text}`);
    if (verb.changes) assert.match(inSession.json().error.message, /read-only .* changes something/);
    assert.equal((await port.call(name, asked, { as: ada })).statusCode, 422, name);
  }
  assert.equal((await port.call("org list", {}, { headers })).statusCode, 200);
  await port.result("org create", { name: "by token" }, ada);
  assert.equal((await port.call("session end", undefined, { headers })).statusCode, 200);
});

test("without a console nobody logs in with a browser, and tokens work as before", async (t) => {
  const service = await startService(t, { settings: { console: "off" } });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("owner", "ada");
  const code = await service.operator.makeLoginCode(ada);
  const headers = pageOf(service);
  for (const [verb, input] of [
    ["session", undefined],
    ["session code", { code }],
    ["session show", undefined],
    ["session end", undefined],
  ] as const) {
    const reply = await call(verb, input, { as: ada, headers });
    assert.deepEqual([reply.statusCode, reply.json().error.code], [404, "not_found"], verb);
    assert.equal(reply.headers["set-cookie"], undefined);
  }
  for (const path of ["/", "/console", "/console/", "/console/audit"])
    assert.equal((await fetch(service.adminUrl + path, { redirect: "manual" })).status, 404, path);
  // A session that began elsewhere, on a machine that has a console, is none here.
  assert.equal(
    (await call("org list", {}, { headers: { ...headers, Cookie: `datarun=${"A".repeat(43)}` } })).statusCode,
    401,
  );
  await result("org create", { name: "by token" }, ada);
});
