import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { project } from "../start/project-folder.ts";
import { hang, json, rawThenReset } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const SOURCE = (
  id: string,
  origin: string,
  run: string,
) => `export default { id: "${id}", title: "T", origins: ["${origin}"],
  timeout_ms: 700, inputs: { type: "object", properties: { name: { type: "string" }, nested: {} } },
  credentials: { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] },
  async run({ http, inputs, credentials, log }) { ${run} } };`;

/** Everything that can carry a secret goes through one service: what answers, what fails, what throws it in our face. */
test("after representative traffic no planted secret is in the log, the journal, the database or an error", async (t) => {
  const vendor = await startVendor(t, {
    paths: {
      "/echo": (socket, request) => json({ seen: request.headers["x-api-key"] === undefined ? 0 : 1 })(socket, request),
      "/refused": json({ error: "planted-vendor-text-4711" }, { status: 401 }),
      "/broken": rawThenReset("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nplanted-vendor-text-4711"),
      "/down": json({ error: "planted-vendor-text-4711" }, { status: 503 }),
      "/hang": hang,
    },
  });
  const call = (path: string) =>
    `await http.post("${vendor.origin}${path}", { headers: { "x-api-key": credentials.api_key }, query: { name: inputs.name }, json: inputs }); return { ok: true };`;
  const folder = project(t, {
    ...Object.fromEntries(
      ["echo", "refused", "broken", "down", "hang"].map((name) => [
        `sources/${name}.mjs`,
        SOURCE(`acme__${name}`, vendor.origin, call(`/${name}`)),
      ]),
    ),
    "sources/throws.mjs": SOURCE("acme__throws", vendor.origin, `throw new Error(credentials.api_key + inputs.name);`),
    "sources/poses.mjs": SOURCE(
      "acme__poses",
      vendor.origin,
      `log.info("asked with " + credentials.api_key + "\\u009b2J", { key: [credentials.api_key] }); throw Object.assign(new Error(), { name: inputs.name, code: credentials.api_key, stack: "    at " + inputs.name + " (/" + inputs.name + ":1:1)" });`,
    ),
    "functions/poses.mjs": `export default { id: "dfunc_poses", title: "T", run({ inputs }) { throw Object.assign(new Error(inputs.name), { name: inputs.name + "Error" }); } };`,
    "sources/header.mjs": SOURCE(
      "acme__header",
      vendor.origin,
      `await http.get("${vendor.origin}/echo", { headers: { "x-api-key": credentials.api_key + "\\n", "x-name": inputs.name + "\\u2028" } });`,
    ),
    "sources/wrong.mjs": SOURCE("acme__wrong", vendor.origin, `return { key: () => credentials.api_key };`),
    "functions/asks.mjs": `export default { id: "dfunc_asks", title: "T", async run({ inputs, run }) { const { message } = await run("acme__throws", inputs); return { output: { said: message, length: inputs.name.length } }; } };`,
  });
  const stored = "planted+stored/key=éü-Zz9-000111222333";
  const deployment = await deploy(t, { project: folder });
  const { secrets } = deployment;
  const inline = secrets.add("planted inline key & more ÿ 987654321");
  const name = secrets.add("Planted-Person Ó Séaghdha <x@y>");
  const wrongToken = secrets.add(`drt_${"Q".repeat(49)}`);
  secrets.add("planted-vendor-text-4711");
  const sources = ["echo", "refused", "broken", "down", "hang", "throws", "poses", "header", "wrong"].map(
    (last) => `acme__${last}`,
  );
  await deployment.operate(async (operator) => {
    for (const source of sources)
      await operator.storeCredential(deployment.access, { source, fields: { api_key: stored }, isDefault: true });
  });

  const service = await deployment.start({ args: ["--log-level", "debug"] });
  const inputs = { name, nested: { name } };
  const storedRun = await service.run(Object.fromEntries(sources.map((id) => [id, true])), inputs);
  assert.equal(storedRun.statusCode, 200);
  secrets.assertAbsent("an answer", storedRun.text);
  const inlineRun = await service.run(
    Object.fromEntries(sources.map((id) => [id, { credentials: { api_key: inline } }])),
    inputs,
  );
  secrets.assertAbsent("an answer", inlineRun.text, [inline]);
  const func = await service.post("/func", { config: { data_func: "dfunc_asks" }, inputs, extra: name });
  secrets.assertAbsent("an answer", func.text);
  secrets.assertAbsent(
    "an answer",
    (await service.post("/func", { config: { data_func: "dfunc_poses" }, inputs })).text,
  );
  const refused = [
    await service.post(
      "/data",
      { config: { sources: { acme__echo: true } }, inputs },
      { as: { token: wrongToken, workflow: name } },
    ),
    await service.post("/data", { config: { sources: {}, context: name }, inputs }),
    await service.post("/data", { config: { sources: { acme__echo: { credentials: inline } } }, inputs: name }),
    await service.client.send({
      method: "POST",
      path: `/data?token=${encodeURIComponent(inline)}`,
      headers: { authorization: `Bearer ${wrongToken}` },
      body: `{"${name}`,
    }),
    await service.client.send({ method: "GET", path: `/${encodeURIComponent(name)}`, headers: {} }),
  ];
  for (const reply of refused) {
    assert.ok(reply.statusCode >= 400, reply.text);
    assert.ok(reply.text.length <= 1024);
    secrets.assertAbsent(`an error body: ${reply.text}`, reply.text);
    assert.doesNotMatch(reply.text, /\bat \S+:\d+|node_modules|sqlite|kysely|undici|fastify|127\.0\.0\.1/i);
  }
  secrets.assertAbsent("the metrics", await (await fetch(`${service.adminUrl}/metrics`)).text());
  service.signal("SIGTERM");
  await service.ended;

  assert.ok(
    vendor.requests.some(({ headers }) => headers["x-api-key"] !== undefined),
    "the secrets did go round",
  );
  assert.equal(deployment.ledger().length, 4);
  for (const line of service.stdout().split("\n")) secrets.assertAbsent(`standard output: ${line}`, line);
  secrets.assertAbsent("standard error", service.stderr());
  secrets.assertAbsentFromFolder(deployment.dataDir);
  for (const verb of [
    ["credential", "list", "--org", deployment.access.id],
    ["audit", "list"],
    ["ledger", "list"],
  ])
    secrets.assertAbsent(verb.join(" "), JSON.stringify(await deployment.verb(...verb)));
});

const SIGNED = (origin: string, path: string) => `id: acme__${path}
title: T
inputs: {type: object, properties: {name: {type: string}}}
credentials: {type: object, required: [api_key], properties: {api_key: {type: string}}}
origins: [${origin}]
timeout_ms: 700
auth:
  - kind: token_exchange
    request: {method: POST, url: ${origin}/login, body: {form: {assertion: '{{ jwt }}'}}}
    auth: {kind: jwt, algorithm: HS256, key: '{{ credentials.api_key }}', claims: {iss: me}}
    token: body.access_token
  - kind: hmac
    algorithm: sha256
    derive: [{name: first, key: '{{ credentials.api_key }}', text: '{{ clock.day }}'}]
    key_from: first
    canonical: '{{ request.path }} {{ nonce }}'
    encoding: hex
  - {kind: digest, algorithm: md5, canonical: '{{ nonce }}{{ credentials.api_key }}', encoding: base64, header: X-Hash}
request: {method: POST, url: ${origin}/${path}, query: {session: '{{ token }}', sig: '{{ signature }}'}, body: {json: {n: '{{ nonce }}', t: '{{ token }}'}}}
match: {record: status == \`200\`, no_record: status == \`404\`}
map: {ok: 'status'}
`;

test("no signature, assertion, token or derived key of a YAML source is in the log, the journal, the database or an error", async (t) => {
  const vendor = await startVendor(t, {
    paths: {
      "/login": json({ access_token: "planted-session-token-4711" }),
      "/fine": json({ fine: true }),
      "/refused": json({ error: "x" }, { status: 401 }),
      "/down": json({ error: "x" }, { status: 503 }),
      "/hang": hang,
    },
  });
  const paths = ["fine", "refused", "down", "hang"];
  const folder = project(
    t,
    Object.fromEntries(paths.map((path) => [`sources/acme/${path}.yaml`, SIGNED(vendor.origin, path)])),
  );
  const deployment = await deploy(t, { project: folder });
  const { secrets } = deployment;
  const key = secrets.add("planted signing key 0001112223");
  secrets.add("planted-session-token-4711");
  await deployment.operate(async (operator) => {
    for (const path of paths)
      await operator.storeCredential(deployment.access, {
        source: `acme__${path}`,
        fields: { api_key: key },
        isDefault: true,
      });
  });
  const service = await deployment.start({ args: ["--log-level", "debug"] });
  const run = await service.run(Object.fromEntries(paths.map((path) => [`acme__${path}`, true])), { name: "Ada" });
  const sent = vendor.requests.filter(({ target }) => target !== "/login");
  assert.ok(sent.length >= paths.length, run.text);
  for (const { target, headers } of sent) {
    const query = new URL(target, "http://vendor").searchParams;
    assert.equal(query.get("session"), "planted-session-token-4711");
    for (const made of [query.get("sig"), headers["x-hash"]]) secrets.add(String(made));
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
    secrets.add(createHmac("sha256", key).update(day).digest("hex"));
  }
  const login = vendor.requests.find(({ target }) => target === "/login")!;
  const assertion = new URLSearchParams(login.body.toString()).get("assertion")!;
  secrets.add(assertion.split(".").at(-1)!);

  secrets.assertAbsent("an answer", run.text);
  secrets.assertAbsent("the metrics", await (await fetch(`${service.adminUrl}/metrics`)).text());
  service.signal("SIGTERM");
  await service.ended;
  for (const line of service.stdout().split("\n")) secrets.assertAbsent(`standard output: ${line}`, line);
  secrets.assertAbsent("standard error", service.stderr());
  secrets.assertAbsentFromFolder(deployment.dataDir);
});

test("the search finds what it looks for, in each of its forms", async (t) => {
  const { Secrets } = await import("../rig/secrets.ts");
  const secrets = new Secrets();
  const secret = secrets.add("planted+stored/key=éü-Zz9");
  const bytes = Buffer.from(secret);
  for (const form of [
    secret,
    bytes.toString("base64"),
    bytes.toString("hex"),
    encodeURIComponent(secret),
    Buffer.concat([Buffer.from("user:"), bytes]).toString("base64"),
  ])
    assert.throws(() => secrets.assertAbsent("a text", `before ${form} after`), /a secret is in/, form);
  t.diagnostic("plain, base64 from two places, hex, percent-encoded");
});
