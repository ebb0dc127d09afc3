import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createLedger } from "../../src/ledger/ledger.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

interface Heard {
  readonly url: string | undefined;
  readonly key: string | undefined;
}

/** A vendor that knows one company, under another form of answer than its source's cases show. */
async function startVendor(t: TestContext, heard: Heard[]): Promise<string> {
  const server = createServer((request, response) => {
    heard.push({ url: request.url, key: request.headers["x-api-key"] as string | undefined });
    const status = request.headers["x-api-key"] !== "right" ? 401 : request.url === "/companies/7" ? 200 : 404;
    response.writeHead(status, { "content-type": "application/json" });
    const company = {
      id: 7,
      name: "Ada & Söhne",
      status: "active",
      since: "1862-05-01",
      owner: { mail: "ada@home.example" },
    };
    response.end(JSON.stringify(status === 200 ? company : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const source = (origin: string) => `# A comment that stays.
id: acme__company
title: Company
inputs:
  type: object
  required: [number]
  properties:
    number: {type: string, pattern: '^[0-9]+$'}
credentials: {type: object, required: [api_key], properties: {api_key: {type: string}}}
origins: ['${origin}']
auth: {kind: api_key, header: X-Api-Key, value: '{{ credentials.api_key }}'}
request: {url: '${origin}/companies/{{ inputs.number }}'}
match:
  record: status == \`200\` && body.status == 'active'
  no_record: status == \`404\`
map: {name: body.name, since: body.since}
output: {type: object, required: [name], properties: {since: {type: string, format: date}}}
charge: per_call
verify: {request: {url: '${origin}/companies/7'}}
cases:
  - name: found
    inputs: {number: '7'}
    reply: {body: {id: 7, name: EXAMPLE, status: active, since: '2001-02-03', legal_form: ltd}}
    expect: {match: true, output: {name: EXAMPLE, since: '2001-02-03'}}
  - name: nobody
    inputs: {number: '8'}
    reply: {status: 404, body: {}}
    expect: {match: false}
  - name: no number
    inputs: {number: x}
    expect: {failure: input, field: number}
`;

async function prepared(t: TestContext) {
  const heard: Heard[] = [];
  const origin = await startVendor(t, heard);
  const folder = project(t, { "sources/acme/company.yaml": source(origin) });
  const { run, json, dataDir } = shell(t, folder);
  const { organization_tuid: org } = await json(["org", "create", "Acme"]);
  const store = async (key: string) =>
    (await json(["credential", "create", "--org", org, "--source", "acme__company", "--set", `api_key=${key}`]))
      .cred_id as string;
  return {
    heard,
    origin,
    dataDir,
    folder,
    run,
    json,
    org: org as string,
    store,
    file: join(folder, "sources/acme/company.yaml"),
  };
}

test("source test runs a source's cases without asking its vendor, and ends with 0", async (t) => {
  const { run, heard } = await prepared(t);
  const { code, stdout } = await run(["source", "test", "acme__company"]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^ok {5}acme__company\n {2}ok {5}found\n/);
  assert.match(stdout, /1 source, \d+ cases: all passed\n$/);
  assert.deepEqual(heard, []);
});

test("a case that fails is shown with what differs, a dropped input with the suggested name, and the command ends with 1", async (t) => {
  const wrong = source("https://api.acme.example")
    .replace("output: {name: EXAMPLE, since", "output: {name: OTHER, since")
    .replace("inputs: {number: '8'}", "inputs: {number: '8', nubmer: '9'}");
  const { run, json } = shell(t, project(t, { "sources/company.yaml": wrong }));
  const { code, stdout } = await run(["source", "test", "acme__company"]);
  assert.equal(code, 1);
  assert.match(stdout, /FAILED found\n +output\/name: expected "OTHER", found "EXAMPLE"/);
  assert.match(stdout, /note: input nubmer is not declared, so the source does not get it; did you mean "number"\?/);
  const result = await json(["source", "test", "acme__company"]);
  assert.equal(result.passed, false);
});

test("--all lists files that have no source, and fails for them", async (t) => {
  const { run } = shell(t, project(t, { "sources/broken.yaml": "id: acme__broken\ntitel: X\n" }));
  const { code, stdout, stderr } = await run(["source", "test", "--all"]);
  assert.equal(code, 1);
  assert.match(stdout, /^ok {5}gleif__lei_record$/m);
  assert.match(stdout, /^FAILED .*broken\.yaml.*titel/m);
  assert.doesNotMatch(stderr, /broken\.yaml/);
});

test("without an id the project's own sources are tested; --case runs one case alone", async (t) => {
  const { run } = shell(t, project(t, { "sources/company.yaml": source("https://api.acme.example") }));
  const { code, stdout } = await run(["source", "test"]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^ok {5}acme__company\n[^]*\n1 source, \d+ cases: all passed\n$/);
  const one = await run(["source", "test", "acme__company", "--case", "nobody"]);
  assert.equal(one.stdout, "ok     acme__company\n  ok     nobody\n1 source, 1 case: all passed\n");
  const none = await run(["source", "test", "acme__company", "--case", "nobdy"]);
  assert.deepEqual([none.code, none.stderr], [1, "acme__company has no case of that name.\n"]);
  const empty = shell(t, project(t, {}));
  assert.match((await empty.run(["source", "test"])).stderr, /The project has no sources/);
});

test("a source whose file is broken is said to be broken, and what is wrong with the file is said once", async (t) => {
  const broken = source("https://api.acme.example").replace("title:", "titel:");
  const { run } = shell(t, project(t, { "sources/thing.yaml": broken, "sources/b.yaml": "id: b__c" }));
  const { code, stderr } = await run(["source", "show", "acme__company"]);
  assert.equal(code, 1);
  assert.match(stderr, /^A file cannot be used: \S+thing\.yaml:3:1: unknown key "titel"/m);
  assert.match(stderr, /\nThe source acme__company cannot be used until its file is corrected: see above\.\n$/);
  assert.equal(stderr.split("thing.yaml").length, 2);
  assert.match((await run(["source", "show", "acme__nothing"])).stderr, /There is no source "acme__nothing"/);
});

test("of two files with one id the first counts, and the other is the one that is refused", async (t) => {
  const file = source("https://api.acme.example");
  const files = { "sources/a.yaml": file, "sources/b.yaml": file.replace("title: Company", "title: Other") };
  const { run, json } = shell(t, project(t, files));
  assert.equal((await json(["source", "show", "acme__company"])).title, "Company");
  const { stderr } = await run(["source", "list"]);
  assert.match(stderr, /b\.yaml: its id acme__company is already used by \S+a\.yaml$/m);
});

test("cases beside a file are checked when it is loaded, and what is wrong is said", async (t) => {
  const bare = source("https://api.acme.example").replace(/^cases:[^]*/m, "");
  const said = async (cases: string) => {
    const { run } = shell(t, project(t, { "sources/company.yaml": bare, "sources/company.cases.json": cases }));
    return (await run(["source", "test", "acme__company"])).stderr.trimEnd().split("\n").at(-2)!;
  };
  assert.match(
    await said('{"cases": []}'),
    /company\.yaml: its cases in company\.cases\.json cannot be used: the file must be a list$/,
  );
  assert.match(await said('[{"name": "a", "inputs": {}}]'), /: case 1 needs the key "expect"$/);
  assert.match(
    await said('[{"name": "a", "inputs": {}, "expct": {}, "expect": {}}]'),
    /: unknown key "expct" in case 1 \(.*expect.*\)$/,
  );
  assert.match(
    await said('[{"name": "a", "inputs": {}, "expect": {"match": 1}}]'),
    /: "expect\.match" of case 1 must be true or false$/,
  );
  assert.match(await said("[\n"), /: it is not valid JSON at line 2, column 1$/);
});

test("a live call that can be billed needs the operator's word, and a credential", async (t) => {
  const { run, heard, store } = await prepared(t);
  const id = await store("right");
  const refused = await run(["source", "test", "acme__company", "--live", "--credential", id]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /can be billed\. Give --accept-charge/);
  const bare = await run(["source", "test", "acme__company", "--live", "--accept-charge"]);
  assert.match(bare.stderr, /needs a credential/);
  const stray = await run(["source", "test", "acme__company", "--record"]);
  assert.match(stray.stderr, /--record belongs to --live/);
  assert.deepEqual(heard, []);
});

test("a live call whose reference cannot be read names the command that says why", async (t) => {
  const { run, json, heard, folder, org } = await prepared(t);
  const reference = `api_key=file:${join(folder, "none")}`;
  const create = ["credential", "create", "--org", org, "--source", "acme__company", "--ref", reference];
  const { cred_id: id } = await json(create);
  const live = ["source", "test", "acme__company", "--live", "--accept-charge", "--credential", id];
  const { code, stderr } = await run(live);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^To see why a reference cannot be read: .*credential verify ${id}$`, "m"));
  assert.deepEqual(heard, []);
});

test("a live call says what differs from the case, and is in the audit trail before and after", async (t) => {
  const { run, json, heard, store, org } = await prepared(t);
  const id = await store("right");
  const { code, stdout } = await run([
    "source",
    "test",
    "acme__company",
    "--live",
    "--credential",
    id,
    "--accept-charge",
  ]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /outcome: record\n {2}charged: yes, 1 request/);
  assert.match(stdout, /legal_form is in the case but not in the reply\n +owner is in the reply but not in the case/);
  assert.deepEqual(heard, [{ url: "/companies/7", key: "right" }]);
  const { entries } = await json(["audit", "list", "--org", org]);
  const [after, before] = entries;
  assert.deepEqual(
    [before.what, before.subject, before.detail.state],
    ["source test", "acme__company", "about to ask"],
  );
  assert.deepEqual(
    [after.detail.state, after.detail.outcome, after.detail.charged, after.detail.cred_id],
    ["asked", "record", "yes", id],
  );
  assert.ok(!JSON.stringify(entries).includes('"right"'));
});

test("what live tests and proofs of credentials sent is in the sum of the month", async (t) => {
  const { run, json, store, org, dataDir } = await prepared(t);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const ledger = createLedger({ dir: join(dataDir, "ledger"), clock: systemClock, log, limits: { reserveBytes: 1 } });
  await ledger.ready;
  t.after(() => ledger.close());
  const [right, wrong] = [await store("right"), await store("wrong")];
  await run(["credential", "price", "set", right, ..."--amount 0.35 --currency EUR --from 2026-01-01".split(" ")]);
  const live = ["source", "test", "acme__company", "--live", "--accept-charge", "--credential"];
  await run([...live, right]);
  await run([...live, wrong]);
  await run(["credential", "verify", right]);
  const { charges } = await json(["ledger", "summary", new Date().toISOString().slice(0, 7)]);
  const line = {
    source: "acme__company",
    organization_tuid: org,
    organization: "Acme",
    credential: "stored",
    unknown: 0,
    unpriced: 0,
  };
  const spent = { currency: "EUR", amount: "0.35", amount_at_most: "0.35" };
  const unpriced = { currency: null, amount: null, amount_at_most: null };
  assert.deepEqual(charges, [
    { ...line, cred_id: right, cred_name: null, requests: 2, charged: 1, not_charged: 1, live_tests: 2, ...spent },
    { ...line, cred_id: wrong, cred_name: null, requests: 1, charged: 0, not_charged: 1, live_tests: 1, ...unpriced },
  ]);
  assert.deepEqual((await json(["ledger", "summary", "2020-01"])).charges, []);
});

test("--record writes the answer as a case with its values masked, which source test then passes", async (t) => {
  const { run, store, file } = await prepared(t);
  const before = readFileSync(file, "utf8");
  const id = await store("right");
  const live = await run([
    "source",
    "test",
    "acme__company",
    "--live",
    "--credential",
    id,
    "--accept-charge",
    "--record",
  ]);
  assert.equal(live.code, 0, live.stderr);
  const after = readFileSync(file, "utf8");
  assert.ok(after.startsWith(before.trimEnd()), "not a character of the rest is touched");
  for (const datum of ["Ada", "Söhne", "1862", "ada@home"]) assert.ok(!after.includes(datum), datum);
  assert.match(after, /since: '?2001-02-03/);
  assert.match(after, /status: active/, "a word of the source's own rules stays");
  const { code, stdout } = await run(["source", "test", "acme__company"]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /ok {5}as the vendor answered on \d{4}-\d{2}-\d{2}\n/);
});

test("inputs on the command line are reported when they are misspelled, and recorded masked or not at all", async (t) => {
  const { run, store, file } = await prepared(t);
  const id = await store("right");
  const live = ["source", "test", "acme__company", "--live", "--credential", id, "--accept-charge", "--record"];
  const { code, stderr } = await run([...live, "--set", "number=8", "--set", "nubmer=7"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /The input nubmer is not declared, so the source does not get it\. Did you mean number\?/);
  assert.match(readFileSync(file, "utf8"), /inputs: \{number: '1', nubmer: '1'\}\n +reply: \{status: 404/);
});

test("credential verify reports good, rejected or unknown", async (t) => {
  const { run, json, store, heard } = await prepared(t);
  const good = await run(["credential", "verify", await store("right")]);
  assert.equal(good.code, 0, good.stderr);
  assert.match(good.stdout, /verdict +good/);
  const bad = await store("wrong");
  const rejected = await run(["credential", "verify", bad]);
  assert.equal(rejected.code, 1);
  assert.match(rejected.stdout, /verdict +rejected\nreason +the vendor rejected the credential/);
  assert.deepEqual(
    heard.map(({ key }) => key),
    ["right", "wrong"],
  );
  const { entries } = await json(["audit", "list"]);
  assert.deepEqual(entries[0].detail.verifies, bad);
  await run(["credential", "disable", bad]);
  assert.match((await run(["credential", "verify", bad])).stderr, /is disabled/);
});

test("a vendor that cannot be reached proves nothing about a credential", async (t) => {
  const text = source("http://127.0.0.1:9");
  const { run, json } = shell(t, project(t, { "sources/company.yaml": text }));
  const { organization_tuid: org } = await json(["org", "create", "Acme"]);
  const { cred_id } = await json([
    "credential",
    "create",
    "--org",
    org,
    "--source",
    "acme__company",
    "--set",
    "api_key=k",
  ]);
  const { code, stdout } = await run(["credential", "verify", cred_id]);
  assert.equal(code, 1);
  assert.match(stdout, /verdict +could not tell\nreason +the vendor could not be reached/);
});

test("source show shows the request as the file writes it, and where each value came from", async (t) => {
  const { run, origin } = await prepared(t);
  const { stdout } = await run(["source", "show", "acme__company"]);
  assert.ok(stdout.includes(`${origin}/companies/{{ inputs.number }}`), stdout);
  assert.match(stdout, /timeout_ms +15000 {2}\(default\)/);
  assert.match(stdout, /charge +"per_call" {2}\(the source's file\)/);
  assert.match((await run(["source", "show", "iso__country"])).stdout, /written in TypeScript/);
});

test("source show shows the largest reply that the deployment reads, and from where", async (t) => {
  const limits = "export default { limits: { expert: { reply_decoded_bytes: 4096 } } };";
  const text = source("http://127.0.0.1:9");
  const declared = (bytes: number) => text.replace("\ncases:", `\nlimits: {max_bytes: ${bytes}}\ncases:`);
  const shown = async (source: string) => {
    const { json } = shell(t, project(t, { "datarun.config.ts": limits, "sources/company.yaml": source }));
    const told = await json(["source", "show", "acme__company"]);
    const { value, from } = told.values.find(({ name }: { name: string }) => name === "limits.max_bytes");
    assert.equal(told.limits.max_bytes, value);
    return [value, from];
  };
  assert.deepEqual(await shown(text), [4096, "the setting limits.expert.reply_decoded_bytes"]);
  assert.deepEqual(await shown(declared(2000)), [2000, "the source's file"]);
  assert.deepEqual(await shown(declared(8000)), [4096, "the setting limits.expert.reply_decoded_bytes"]);
});

test("source show has what the file declares as rows, and a list says which sources are on", async (t) => {
  const { json, origin } = await prepared(t);
  const shown = await json(["source", "show", "acme__company"]);
  const { name, type, required } = shown.fields.inputs[0];
  assert.deepEqual([name, type, required], ["number", "string", "yes"]);
  assert.deepEqual(shown.charge, { model: "per_call", list_price: null, rows: [] });
  assert.ok(shown.recipe.includes(`${origin}/companies/{{ inputs.number }}`), shown.recipe);
  assert.ok(shown.cases.some(({ expects }: { expects: string }) => expects === "record"));

  const priced = (await json(["source", "show", "example_bureau__company_report"])).charge;
  assert.deepEqual(priced.list_price, { amount: "9.50", currency: "EUR" });
  assert.deepEqual(
    priced.rows.map(({ when, list_price }: { when: string | null; list_price: { amount: string } }) => [
      when,
      list_price.amount,
    ]),
    [
      ["status == `409` || status == `404`", "0.00"],
      ["inputs.express", "9.50"],
      [null, "4.00"],
    ],
  );
  const listed = (await json(["source", "list"])).sources as { source: string; on: boolean; from: string }[];
  const onOf = (id: string) => listed.find(({ source }) => source === id)!.on;
  assert.deepEqual(["acme__company", "iso__country", "gleif__lei_record"].map(onOf), [true, true, false]);
});

const reply = {
  company: {
    number: "0000000A",
    companyName: "EXAMPLE LTD",
    employees: 12,
    address: { "post code": "ZZ1" },
    ceased: null,
  },
};
const options = (changes: Readonly<Record<string, string>>) =>
  Object.entries({
    title: "Company",
    url: "https://api.acme.example/companies/{number}",
    nobody: "404",
    ...changes,
  }).flatMap(([name, value]) => [`--${name}`, value]);

test("source new writes a file whose cases pass at once, whatever the kind of request", async (t) => {
  const folder = project(t, {
    "reply.json": JSON.stringify(reply),
    "none.json": '{"company": null, "result": "NONE"}',
    "list.json": '[{"a": "b"}]',
  });
  const { run } = shell(t, folder);
  const at = (name: string) => join(folder, name);
  const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    by_path: { sample: at("reply.json"), auth: "header:X-Api-Key", docs: "https://acme.example/docs" },
    by_query: {
      sample: at("reply.json"),
      url: "https://api.acme.example/find?name={name}&exact=true",
      auth: "query:key",
    },
    by_body: {
      sample: at("reply.json"),
      url: "https://api.acme.example/find",
      method: "post",
      body: '{"who": {"mail": "{email}"}}',
      auth: "basic",
    },
    inside_200: { sample: at("reply.json"), nobody: at("none.json"), auth: "bearer" },
    a_list: { sample: at("list.json"), auth: "none", nobody: "410" },
    by_login: { sample: at("reply.json"), auth: "oauth2:https://login.acme.example/token" },
    by_password: { sample: at("reply.json"), auth: "oauth2_password:https://api.acme.example/token" },
    by_signature: { sample: at("reply.json"), auth: "hmac:X-Signature" },
    by_certificate: { sample: at("reply.json"), auth: "mtls" },
  };
  for (const [name, changes] of Object.entries(kinds)) {
    const made = await run(["source", "new", `acme__${name}`, ...options(changes)]);
    assert.equal(made.code, 0, `${name}: ${made.stderr}`);
    const tested = await run(["source", "test", `acme__${name}`]);
    assert.equal(tested.code, 0, `${name}: ${tested.stdout}`);
  }
  const text = readFileSync(at("sources/acme/by_path.yaml"), "utf8");
  assert.match(text, /^ {2}company_name: body\.company\.companyName$/m);
  assert.match(
    readFileSync(at("sources/acme/inside_200.yaml"), "utf8"),
    /no_record: status == `200` && body\.result == 'NONE' && !\(body\.company\)/,
  );
  const again = await run(["source", "new", "acme__by_path", ...options({ sample: at("reply.json") })]);
  assert.match(again.stderr, /exists already/);
});

test("source new never writes over a file that was made while it asked", async (t) => {
  const folder = project(t, { "reply.json": JSON.stringify(reply), "sources/acme/other.txt": "" });
  const { run } = shell(t, folder);
  // A link that leads nowhere looks like no file at first, and cannot be written like a new one either.
  symlinkSync("nowhere", join(folder, "sources/acme/company.yaml"));
  const made = await run(["source", "new", "acme__company", ...options({ sample: join(folder, "reply.json") })]);
  assert.equal(made.code, 1);
  assert.match(made.stderr, /The file .*acme\/company\.yaml exists already\.\n$/);
});

test("source new asks a person for what is not given", async (t) => {
  const folder = project(t, { "datarun.config.ts": "export default {};" });
  const { run } = shell(t, folder);
  const answers = [
    "",
    "Company",
    "",
    "",
    "https://api.acme.example/companies/{number}",
    "header:X-Api-Key",
    ...JSON.stringify(reply, null, 2).split("\n"),
    "",
    "404",
    "free",
  ];
  const { code, stderr } = await run(["source", "new", "acme__company"], answers.join("\n"), true);
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /A short title: A short title: .*Authentication: none, basic, bearer, header:NAME, .*oauth2:.*\[none\]: .*What the vendor bills: .*\[per_call\]: /s,
  );
  assert.match(readFileSync(join(folder, "sources/acme/company.yaml"), "utf8"), /^charge: free$/m);
  assert.equal((await run(["source", "test", "acme__company"])).code, 0);
});

test("a person who says OAuth is asked where its login is, and the login is written", async (t) => {
  const folder = project(t, { "reply.json": JSON.stringify(reply) });
  const { run } = shell(t, folder);
  const given = options({ sample: join(folder, "reply.json"), charge: "free", docs: "", method: "GET" });
  const made = await run(
    ["source", "new", "acme__company", ...given],
    "oauth2\nhttps://login.acme.example/token\n",
    true,
  );
  assert.equal(made.code, 0, made.stderr);
  const text = readFileSync(join(folder, "sources/acme/company.yaml"), "utf8");
  assert.match(text, /kind: token_exchange\n[^]*grant_type: client_credentials[^]*token: body\.access_token/);
  const { code, stdout } = await run(["source", "test", "acme__company"]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /ok {5}the credential is rejected \(401\) \(standard\)/);
});

test("source new says what is missing or cannot be, and writes nothing", async (t) => {
  const folder = project(t, { "reply.json": JSON.stringify(reply) });
  const { run } = shell(t, folder);
  const says = async (changes: Readonly<Record<string, string>>) =>
    (await run(["source", "new", "acme__company", ...options({ sample: join(folder, "reply.json"), ...changes })]))
      .stderr;
  assert.match(
    (await run(["source", "new", "acme__company"])).stderr,
    /give --title, --url, --sample, --nobody\. Only the vendor.s documentation shows which reply means that nothing was found/,
  );
  assert.match((await run(["source", "new", "Acme"])).stderr, /ID must have the form/);
  assert.match(await says({ url: "https://api.acme.example/all" }), /has no input/);
  assert.match(await says({ url: "https://{tenant}.acme.example/all" }), /cannot change the host/);
  assert.match(await says({ auth: "magic" }), /auth is none, basic/);
  assert.match(await says({ auth: "oauth2" }), /a login needs an address.*oauth2:https:/);
  assert.match(await says({ auth: "hmac" }), /auth is none, .*hmac:HEADER, http_digest or mtls/);
  assert.match(await says({ url: "https://api.acme.example/x/{number}?q={q" }), /brace/);
  assert.match(await says({ charge: "none" }), /one of free, per_call, per_success, per_match/);
  writeFileSync(join(folder, "cut.json"), '{"company": {\n  "number": "1",\n}}');
  assert.match(
    await says({ sample: join(folder, "cut.json") }),
    /The sample \S+cut\.json is not valid JSON \(line 3, column 1\)/,
  );
  assert.match(await says({ nobody: "200" }), /from 400 to 599/);
  assert.match(await says({ sample: join(folder, "nowhere.json") }), /There is no file/);
  assert.throws(() => readFileSync(join(folder, "sources/acme/company.yaml")), { code: "ENOENT" });
});
