import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ShadowResult } from "../../src/admin/ports.ts";
import { isChosen } from "../../src/run/find-version.ts";
import { adminPort } from "../rig/admin.ts";
import type { Organization } from "../rig/organization.ts";
import { startService, type ServiceOptions, type TestService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { startVendor, type TestLife } from "../vendor/scripted-vendor.ts";

const ID = "dfunc_risk";
const OUTPUT = `{ type: "object", properties: { score: { type: "integer" }, reason: { type: "string" }, extra: {} } }`;

function file(body: string): string {
  return `export default { id: "${ID}", title: "Risk", output: ${OUTPUT}, timeout_ms: 8_000, async run({ inputs, run, pipe, log }) {
    const asked = async (name) => (await run("acme__score", { name, at: Math.random() })).output.score;
    ${body}
  } };`;
}

const PRESENT = file(`return { output: { score: await asked(inputs.name), reason: inputs.name } };`);

/** Does what the input says. */
const CANDIDATE = file(`
  const score = await asked(inputs.name);
  const reason = inputs.name;
  switch (inputs.candidate) {
    case "differs": return { output: { score: score + 1, reason } };
    case "omits": return { output: { score } };
    case "adds": return { output: { score, reason, extra: inputs.name } };
    case "adds a field that is not declared": return { output: { score, reason, [inputs.name]: inputs.name } };
    case "throws": throw new Error(inputs.name);
    case "asks another": return { output: { score: await asked("another " + inputs.name), reason } };
    case "asks again": return { output: { score: await asked(inputs.name), reason } };
    case "asks another source": await run("acme__other", {}); return { output: { score, reason } };
    case "logs": log.warn(inputs.name); await pipe(inputs.name, () => inputs.name); console.log(inputs.name); return { output: { reason, score } };
    case "loops": for (;;);
    case "takes memory": { const all = []; for (;;) all.push({ at: all.length }); }
  }`);

/** The counts of whole runs and of each field: of which verdict one more. */
const VERDICTS: Readonly<Record<string, readonly string[]>> = {
  logs: [": same", "reason: same", "score: same"],
  differs: [": different", "reason: same", "score: different"],
  omits: [": missing", "reason: missing", "score: same"],
  adds: [": added", "extra: added", "reason: same", "score: same"],
  "adds a field that is not declared": ["*: added", ": added", "reason: same", "score: same"],
  throws: [": failed", "reason: failed", "score: failed"],
  "asks another": [": unrecorded", "reason: unrecorded", "score: unrecorded"],
  "asks again": [": unrecorded", "reason: unrecorded", "score: unrecorded"],
  "asks another source": [": unrecorded", "reason: unrecorded", "score: unrecorded"],
  "takes memory": [": failed", "reason: failed", "score: failed"],
  loops: [": failed", "reason: failed", "score: failed"],
};

/** A service with two versions of the function: the first is loaded, and the second its candidate. */
async function shadowed(t: TestLife, percent = 100, options: ServiceOptions = {}) {
  const vendor = await startVendor(t);
  const declared = { origins: [vendor.origin], inputs: { type: "object", properties: { name: {} } } };
  const asking = (id: string) =>
    source(id, ({ http }) => http.get(`${vendor.origin}/score`).then(() => ({ score: 7 })), declared);
  const folder = project(t, { "functions/risk.mjs": CANDIDATE });
  const service = await startService(t, {
    project: folder,
    sources: [asking("acme__score"), asking("acme__other")],
    vendors: [vendor],
    ...options,
  });
  writeFileSync(join(folder, "functions/risk.mjs"), PRESENT);
  await service.reload();
  const [candidate] = await service.operator.versionsOf(ID);
  const shadow = { [ID]: { version: candidate!, percent } };
  const versions = { functions: {}, sources: {}, shadow };
  const workflow = await service.operator.createWorkflow(service.a.id, { versions });
  return { service, vendor, a: { ...service.a, workflow }, versions };
}

async function ask(service: TestService, a: Organization, inputs: object) {
  const reply = await service.post("/func", { config: { data_func: ID }, inputs }, { as: a });
  const { transaction_id: id, outputs, status } = reply.json();
  assert.equal(status[ID].success, true);
  return { id: id as string, output: outputs[ID].output as object };
}

/** The sampled runs, by what became of them. */
async function outcomes({ adminUrl }: TestService): Promise<Record<string, number>> {
  const page = await (await fetch(`${adminUrl}/metrics`)).text();
  const lines = page.matchAll(/^datarun_shadow_runs_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, outcome, runs]) => [outcome!, Number(runs)]));
}

async function sampled(service: TestService): Promise<number> {
  return Object.values(await outcomes(service)).reduce((sum, runs) => sum + runs, 0);
}

function counted(results: readonly ShadowResult[]): Map<string, number> {
  return new Map(
    results.flatMap(({ field, counts }) =>
      Object.entries(counts).map(([verdict, runs]) => [`${field}: ${verdict}`, runs]),
    ),
  );
}

test("the result of a candidate is counted for each field; answers are those of the present version, and vendors are not called", async (t) => {
  const { service, vendor, a } = await shadowed(t);
  let runs = 0;
  for (const [what, verdicts] of Object.entries(VERDICTS)) {
    const before = counted(await service.operator.shadowResults(ID));
    const name = `planted ${what} value`;
    let id = "";
    // On a busy machine, a shadow run may be dropped.
    for (let compared = false; !compared;) {
      const [done, compareds] = [await sampled(service), (await outcomes(service))["compared"]!];
      const answer = await ask(service, a, { name, candidate: what });
      assert.deepEqual(answer.output, { score: 7, reason: name });
      id = answer.id;
      runs += 1;
      await until(async () => (await sampled(service)) > done);
      compared = (await outcomes(service))["compared"]! > compareds;
    }
    const results = await service.operator.shadowResults(ID);
    const added = [...counted(results)].filter(([key, runs]) => runs > (before.get(key) ?? 0)).map(([key]) => key);
    assert.deepEqual(added.sort(), verdicts, what);
    const differing = results.filter(({ transactionIds }) => transactionIds[0] === id).map(({ field }) => field);
    const expected = verdicts.filter((each) => !each.endsWith("same")).map((each) => each.split(":")[0]!);
    assert.deepEqual(differing.sort(), expected.sort(), what);
    assert.equal(vendor.requests.length, runs, "one request for each run");
  }
  // When the test is over, it is looked for in every file of the data directory, and in the shared database.
  for (const what of Object.keys(VERDICTS)) service.secrets.add(`planted ${what} value`);
});

test("the runs of a sample are chosen by the hash of their ids, and others cost nothing", async (t) => {
  const { service, a } = await shadowed(t, 10);
  const ids: string[] = [];
  for (let run = 0; run < 40; run += 1) ids.push((await ask(service, a, { name: "x", candidate: "logs" })).id);
  const chosen = ids.filter((id) => isChosen(10, `shadow/${ID}`, id)).length;
  await until(async () => (await sampled(service)) === chosen);
  await ask(service, service.a, { name: "x", candidate: "logs" });
  assert.equal(await sampled(service), chosen);
});

test("a shadow run is dropped and counted if real runs have all processes, or its version cannot be loaded", async (t) => {
  const { service, a, versions } = await shadowed(t, 100, { settings: { "limits.expert.function_processes": 1 } });
  // To load the candidate, the process of the first run is given up, and its place is free.
  await until(async () => {
    await ask(service, a, { name: "x", candidate: "logs" });
    return (await outcomes(service))["busy"]! > 0;
  });
  const before = (await outcomes(service))["version"]!;
  const unknown = { ...versions, shadow: { [ID]: { version: "unknown_unknown_", percent: 100 } } };
  const workflow = await service.operator.createWorkflow(service.a.id, { versions: unknown });
  await ask(service, { ...a, workflow }, { name: "x", candidate: "logs" });
  await until(async () => (await outcomes(service))["version"]! > before);
});

test("a stop does not wait for a shadow run", async (t) => {
  const { service, a } = await shadowed(t, 100, { settings: { "limits.shutdown_grace_ms": 60_000 } });
  await ask(service, a, { name: "x", candidate: "loops" });
  const startedAt = performance.now();
  await service.close();
  assert.ok(performance.now() - startedAt < 7_000, "before the candidate's time limit");
});

test("operators name a candidate, see what differs, and begin anew", async (t) => {
  const { service } = await shadowed(t);
  const { adminUrl, secrets, operator } = service;
  const admin = adminPort(t, adminUrl, secrets);
  const ada = await operator.appoint("operator");
  const { workflow } = service.a;
  const refused = await admin.call("workflow set", { workflow, shadow: [`${ID}=9`] }, { as: ada });
  assert.equal(refused.statusCode, 404, refused.text);
  const sample = await admin.call("workflow set", { workflow, shadow_sample: 5 }, { as: ada });
  assert.equal(sample.statusCode, 422, sample.text);
  const set = await admin.result("workflow set", { workflow, shadow: [`${ID}=1`], shadow_sample: 50 }, ada);
  const { digest, ...shadow } = set.versions[0];
  assert.deepEqual(shadow, { kind: "shadow", id: ID, number: 1, percent: 50 });
  await admin.result("workflow set", { workflow, shadow: [`${ID}=${digest.slice(0, 6)}`] }, ada);
  // On a busy machine, a shadow run may be dropped.
  await until(async () => {
    await ask(service, service.a, { name: "x", candidate: "differs" });
    return (await outcomes(service))["compared"]! > 0;
  });
  const shown = await admin.result("function shadow", { function: ID, workflow }, ada);
  const [candidate] = shown.candidates;
  assert.deepEqual([candidate.workflow, candidate.version, candidate.different], [workflow, 1, candidate.compared]);
  assert.deepEqual(
    // oxlint-disable-next-line typescript/no-explicit-any -- reads what it asserts
    shown.fields.map((each: any) => [each.field, each.different > 0, each.same > 0]),
    [
      ["reason", false, true],
      ["score", true, false],
    ],
  );
  assert.deepEqual(shown.differing[0].fields, ["score"]);
  assert.match(shown.differing[0].transaction_id, /^trx_/);
  const off = await admin.result("workflow set", { workflow, shadow: [`${ID}=off`] }, ada);
  assert.deepEqual(off.versions, []);
  assert.deepEqual(await admin.result("function reset-shadow", { function: ID }, ada), { removed: 1 });
  // Until the last results of runs before that are added.
  await until(async () => {
    await admin.result("function reset-shadow", { function: ID, workflow }, ada);
    return (await admin.result("function shadow", { function: ID }, ada)).candidates.length === 0;
  });
  const reset = (await operator.auditEntries()).find(({ what }) => what === "function reset-shadow");
  assert.deepEqual([reset!.who, reset!.subjectId], [ada.name, ID]);
});
