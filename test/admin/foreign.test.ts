import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { NAUGHTY_STRINGS } from "../rig/naughty-strings.ts";
import { startService } from "../rig/service.ts";

test("a host name that is not the service's own is refused, whatever it resolves to, before anything is looked up", async (t) => {
  const service = await startService(t, { settings: { admin_hosts: "Admin.Acme.example,10.0.0.9" } });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  const statusFor = async (host: string) =>
    (await call("org list", {}, { as: ada, headers: { Host: host } })).statusCode;
  const { port } = new URL(service.adminUrl);
  const own = [
    "localhost",
    "LOCALHOST:1",
    `127.0.0.1:${port}`,
    "[::1]:80",
    "admin.acme.example",
    "ADMIN.acme.EXAMPLE:443",
    "10.0.0.9:8081",
  ];
  for (const host of own) assert.equal(await statusFor(host), 200, host);
  const foreign = [
    "evil.example",
    "evil.example:8081",
    "localhost.evil.example",
    "127.0.0.1.nip.example",
    "admin.acme.example.evil.example",
    "admin.acme.example@evil.example",
    "0.0.0.0",
    "10.0.0.8",
    "localhost:x",
    "*",
  ];
  for (const host of foreign) assert.equal(await statusFor(host), 403, host);
  const withoutToken = await call("org list", {}, { headers: { Host: "evil.example" } });
  assert.deepEqual([withoutToken.statusCode, withoutToken.json().error.code], [403, "forbidden"]);
});

test("metrics and probes answer to any host name: a probe asks by the address of its pod", async (t) => {
  const service = await startService(t);
  for (const path of ["/live", "/ready", "/metrics"]) {
    for (const host of ["10.244.0.5:8081", "datarun.monitoring.svc", "evil.example"]) {
      const { port } = new URL(service.adminUrl);
      const { request } = await import("node:http");
      const status = await new Promise<number>((resolve, reject) => {
        const asked = request({ port, path, headers: { Host: host } }, (reply) => {
          reply.resume();
          resolve(reply.statusCode!);
        });
        asked.on("error", reject);
        asked.end();
      });
      assert.equal(status, 200, `${path} by ${host}`);
    }
  }
});

test("a page of another site is refused, even with a token; a page of our own and a program are not", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  const host = new URL(service.adminUrl).host;
  const statusFor = async (headers: Record<string, string>) =>
    (await call("org list", {}, { as: ada, headers })).statusCode;
  for (const headers of [
    {},
    { Origin: `http://${host}` },
    { Origin: `https://${host}`, "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "none" },
  ])
    assert.equal(await statusFor(headers as Record<string, string>), 200, JSON.stringify(headers));
  for (const headers of [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "" },
    { Origin: "http://localhost:1" },
    { Origin: `http://${host}.evil.example` },
    { Origin: `http://${host}/` },
    { Origin: `file://${host}` },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { Origin: `http://${host}`, "Sec-Fetch-Site": "cross-site" },
  ])
    assert.equal(await statusFor(headers as Record<string, string>), 403, JSON.stringify(headers));
});

test("no answer allows another site anything, a preflight's neither", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const headers = {
    Origin: "https://evil.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization",
  };
  // `call` fails if an answer has a CORS header.
  assert.equal((await call("org list", undefined, { method: "OPTIONS", headers })).statusCode, 403);
});

test("names that are markup, controls or anything else come back as they are, as JSON that no browser takes for a page", async (t) => {
  const service = await startService(t);
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const kept: string[] = [];
  for (const name of NAUGHTY_STRINGS.filter((_, at) => at % 5 === 0)) {
    const { statusCode, json } = await call("workflow create", { org: service.a.id, name }, { as: ada });
    assert.ok(statusCode === 200 || statusCode === 422, JSON.stringify(name));
    if (statusCode === 200) kept.push(name);
    else assert.equal(json().error.details[0].path, "/name");
  }
  assert.ok(kept.length > 20);
  const { workflows } = await result("workflow list", { org: service.a.id }, ada);
  const names = new Set(workflows.map(({ name }: { name: string }) => name));
  for (const name of kept) assert.ok(names.has(name), JSON.stringify(name));
  // As an id, a text is either refused or not found, and a message repeats it only where it is one.
  for (const id of NAUGHTY_STRINGS.filter((_, at) => at % 7 === 0)) {
    const { statusCode } = await call("source show", { source: id }, { as: ada });
    assert.ok([404, 422].includes(statusCode), JSON.stringify(id));
    const unknown = await call("org rename", { org: `org_${id}`, name: "x" }, { as: ada });
    assert.ok([404, 422].includes(unknown.statusCode), JSON.stringify(id));
    if (/[<>&]/.test(id)) assert.ok(!unknown.text.includes(id));
  }
});

test("a name or a note that hides text or reverses its direction is refused where it is given, and an older one is still shown", async (t) => {
  const service = await startService(t);
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("owner", "ada");
  const unseen = [
    "a\u202eb",
    "a\u2066b\u2069",
    "a\u200bb",
    "a\u200db",
    "\ufeffab",
    "a\u00adb",
    "a\u061cb",
    "a\u180eb",
    "a\u{e0041}b",
  ];
  const old = await service.operator.createOrganization(unseen[0]!);
  const org = service.a.id;
  for (const name of unseen)
    for (const [verb, input] of [
      ["org create", { name }],
      ["org rename", { org, name }],
      ["workflow create", { org, name }],
      ["workflow set", { workflow: service.a.workflow, name }],
      ["token create", { org, name }],
      ["operator create", { name, role: "viewer" }],
      ["credential create", { org, source: "acme__people", fields: {}, note: name }],
      ["ledger reconcile", { transaction: `trx_${"0".repeat(32)}`, call: 0, charged: "no", note: name }],
    ] as const) {
      const reply = await call(verb, input, { as: ada });
      assert.equal(reply.statusCode, 422, `${verb} ${JSON.stringify(name)}`);
      const [detail] = reply.json().error.details as { path: string; message: string }[];
      assert.match(detail!.path, /^\/(name|note)$/);
      if (verb !== "operator create")
        assert.match(detail!.message, /none of them invisible or changing the direction of text/);
    }
  const { organizations } = await result("org list", {}, ada);
  assert.ok(organizations.some(({ name }: { name: string }) => name === unseen[0]));
  assert.equal((await result("org rename", { org: old.id, name: "ab" }, ada)).name, "ab");
});
