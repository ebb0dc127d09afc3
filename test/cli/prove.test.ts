import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { project } from "../start/project-folder.ts";
import { playVendor, type Proof, type Reply } from "./played-vendor.ts";
import { shell } from "./project-shell.ts";

const LIVE = "live: {inputs: {n: '00000006'}}\n";

function people(origin: string, more = LIVE): string {
  return `id: acme__people\ntitle: P\ninputs: {type: object, properties: {n: {type: string}}}\norigins: ['${origin}']
credentials: {type: object, required: [key], properties: {key: {type: string}}}
auth: {kind: api_key, header: X-Key, value: '{{ credentials.key }}'}
request: {url: '${origin}/p', query: {n: '{{ inputs.n }}'}}\nmatch: {record: body.n, no_record: status == \`404\`}
map: {found: body.n, by: body.by}
charge: {model: per_call, amount: 0.35, currency: EUR}
${more}cases: [{name: found, inputs: {n: made-up}, reply: {body: {n: x}}, expect: {match: true}}]\n`;
}

/** A project with a source whose vendor bills, and one of it that does not, with a credential for both. */
async function billed(t: TestContext, reply: Reply, more = LIVE) {
  const vendor = await playVendor(t, [reply], false);
  const text = people(vendor.origin, more);
  const folder = project(t, { "sources/people.yaml": text });
  const its = shell(t, folder);
  const { organization_tuid: org } = await its.json(["org", "create", "Acme"]);
  await its.json([
    "credential",
    "create",
    "--org",
    org,
    "--source",
    "acme__people",
    "--set",
    "key=secret-key",
    "--default",
  ]);
  const proofs = () => JSON.parse(readFileSync(join(folder, "datarun.proofs.json"), "utf8")) as Record<string, Proof>;
  return { ...its, folder, text, vendor, org, proofs };
}

const REPLY = {
  body: { n: "Ada Lovelace", by: { "ada@example.com": "secret-value", year: 1815 }, list: [{ a: null }] },
};

test("the price is shown before a billed call, which is made only if somebody agrees or --max-cost allows it", async (t) => {
  const { run, json, vendor } = await billed(t, REPLY);
  const unattended = await run(["prove"]);
  assert.equal(unattended.code, 1);
  assert.match(unattended.stderr, /acme__people: at most 0\.35 EUR/);
  assert.match(unattended.stdout, /skipped acme__people: at most 0\.35 EUR: not agreed; --yes agrees to all/);
  const declined = await run(["prove"], "n\n", true);
  assert.match(declined.stderr, /at most 0\.35 EUR\nCall it\? \[y\/N\] /);
  assert.match((await run(["prove", "--free-only"])).stdout, /its vendor bills \(per_call\)/);
  assert.match((await run(["prove", "--yes", "--max-cost", "0.34EUR"])).stdout, /0\.34 EUR is left of --max-cost/);
  assert.match((await run(["prove", "--yes", "--max-cost", "5USD"])).stdout, /--max-cost is in USD/);
  assert.match((await run(["prove", "--max-cost", "5"])).stderr, /must be an amount with its currency, such as 5EUR/);
  assert.deepEqual(vendor.heard, []);

  const agreed = await run(["prove"], "y\n", true);
  assert.equal(agreed.code, 0, agreed.stdout + agreed.stderr);
  assert.match(agreed.stdout, /^proved {2}acme__people: record$/m);
  const capped = await run(["prove", "acme__people", "--yes", "--max-cost", "0.35 EUR"]);
  assert.equal(capped.code, 0, capped.stdout);
  assert.deepEqual(vendor.heard, ["GET /p?n=00000006", "GET /p?n=00000006"]);

  const { charges } = await json(["ledger", "summary", new Date().toISOString().slice(0, 7)]);
  assert.deepEqual([charges[0].source, charges[0].live_tests, charges[0].charged], ["acme__people", 2, 2]);
  const { entries } = await json(["audit", "list"]);
  const states = entries
    .filter(({ what }: { what: string }) => what === "prove")
    .map(({ detail }: { detail: { state: string } }) => detail.state);
  assert.deepEqual(states, ["asked", "about to ask", "asked", "about to ask"]);
});

test("a proof has the version, the day, the match, and paths with types; no value of the reply and no secret", async (t) => {
  const { run, json, folder, text, proofs } = await billed(t, REPLY);
  await run(["prove", "--yes"]);
  const { date, digest, build, ...rest } = proofs()["acme__people"]!;
  assert.deepEqual(rest, {
    match: true,
    replies: [
      {
        status: 200,
        shape: {
          "": "object",
          n: "text",
          by: "object",
          "by.*": "text",
          "by.year": "number",
          list: "list",
          "list[]": "object",
          "list[].a": "null",
        },
      },
    ],
    output: { "": "object", found: "text", by: "object", "by.*": "text", "by.year": "number" },
  });
  assert.match(date, /^\d{4}-\d{2}-\d{2}$/);
  assert.ok(build !== "" && digest.length === 24);
  const written = readFileSync(join(folder, "datarun.proofs.json"), "utf8");
  assert.doesNotMatch(written, /Ada|secret|example\.com|1815|00000006/);

  const tested = async () => (await json(["source", "list", "--vendor", "acme"])).sources[0].live_tested;
  assert.equal(await tested(), date);
  const path = join(folder, "sources/people.yaml");
  writeFileSync(path, `# a comment\n${text}`);
  assert.equal(await tested(), date);
  writeFileSync(path, text.replace("found: body.n", "found: body.list"));
  assert.equal(await tested(), `${date}, another version`);
  assert.equal((await json(["source", "show", "acme__people"])).proof.outdated, true);
  assert.match((await run(["source", "list", "--vendor", "acme"])).stdout, /another version/);
});

test("a vendor that fails leaves the proof before; one without a record leaves one that says so, and is a failure", async (t) => {
  const nobody = await billed(t, { status: 404, body: {} });
  const made = await nobody.run(["prove", "--yes"]);
  assert.equal(made.code, 1);
  assert.match(made.stdout, /^failed {2}acme__people: no record$/m);
  assert.equal(nobody.proofs()["acme__people"]!.match, false);

  const down = await billed(t, { status: 500, body: {} });
  const before = {
    acme__people: { digest: "d", date: "2020-01-01", build: "v", match: true, replies: [], output: {} },
  };
  writeFileSync(join(down.folder, "datarun.proofs.json"), JSON.stringify(before));
  assert.match((await down.run(["prove", "--yes"])).stdout, /^failed {2}acme__people: vendor_5xx/m);
  assert.deepEqual(down.proofs(), before);

  const unnamed = await billed(t, REPLY, "");
  assert.match((await unnamed.run(["prove", "--yes"])).stdout, /skipped acme__people: declares no inputs under `live`/);
  assert.match((await unnamed.run(["prove", "acme__nothing"])).stderr, /There is no source "acme__nothing"/);
});

test("a file of proofs that cannot be read stops no verb but prove, which calls nobody", async (t) => {
  const { run, folder, vendor } = await billed(t, REPLY);
  for (const [text, says] of [
    ["{", /is not valid JSON/],
    [`{"acme__people": {"date": 5}}`, /has not the form of a file of proofs/],
  ] as const) {
    writeFileSync(join(folder, "datarun.proofs.json"), text);
    const listed = await run(["source", "list", "--vendor", "acme"]);
    assert.equal(listed.code, 0);
    assert.match(listed.stderr, says);
    const made = await run(["prove", "--yes"]);
    assert.equal(made.code, 1);
    assert.match(made.stderr, says);
  }
  assert.deepEqual(vendor.heard, []);
});

test("without a network the command says so, and writes no proof", async (t) => {
  // Every vendor of the catalog is behind a proxy that is not there.
  const config = `export default { catalog: ["*"], outbound: { proxy: "http://127.0.0.1:1" } };`;
  const folder = project(t, { "datarun.config.ts": config });
  const { run } = shell(t, folder);
  assert.match((await run(["prove", "--free-only"])).stderr, /There is no store/);
  await run(["org", "create", "Acme"]);
  const made = await run(["prove", "--free-only"]);
  assert.equal(made.code, 1);
  assert.match(made.stderr, /No vendor could be reached, so nothing is said about any/);
  assert.equal(existsSync(join(folder, "datarun.proofs.json")), false);
});

test("a vendor without a record for a case's inputs is reported as called with inputs that may be invented", async (t) => {
  const vendor = await playVendor(t, [{ status: 404, body: {} }], false);
  const file = `id: acme__people\ntitle: P\ninputs: {type: object, properties: {n: {type: string}}}\norigins: ['${vendor.origin}']\n
request: {url: '${vendor.origin}/p', query: {n: '{{ inputs.n }}'}}\nmatch: {record: body.n, no_record: status == \`404\`}\ncharge: free\n
LIVEcases: [{name: found, inputs: {n: made-up}, reply: {body: {n: x}}, expect: {match: true}}]\n`;
  const found = async (live: string) => {
    const { run } = shell(t, project(t, { "sources/people.yaml": file.replace("LIVE", live) }));
    await run(["org", "create", "Acme"]);
    return (await run(["source", "test", "acme__people", "--live"])).stdout;
  };
  assert.match(
    await found(""),
    /with case "found"[\s\S]*expects record; its inputs may be made up: declare others under `live`/,
  );
  assert.match(
    await found("live: {inputs: {n: real}}\n"),
    /with the inputs that the source declares for this[\s\S]*expects record\n/,
  );
  assert.deepEqual(vendor.heard, ["GET /p?n=made-up", "GET /p?n=real"]);
});
