import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../rig/until.ts";
import { versionedDeployment } from "./versioned-deployment.ts";

const FUNC = { data_func: "dfunc_decide" };
const DATA = { sources: { acme__facts: true, acme__coded: true } };

const engine = process.env["TEST_STORE"] === "postgres" ? "postgres" : "sqlite";

test("a workflow goes back to earlier versions and forward again, without a restart", async (t) => {
  const { vendor, serve, deployNew, damage } = await versionedDeployment(t, engine);
  const first = await serve(t);
  const acme = await first.operator.createOrganization("Acme");
  const other = { ...acme, workflow: await first.operator.createWorkflow(acme.id) };
  assert.equal((await first.post("/func", FUNC, acme)).outputs.dfunc_decide.output.decision, "APPROVE");
  await first.close();
  deployNew();
  const service = await serve(t);
  const decided = async (as = acme) => (await service.post("/func", FUNC, as)).outputs.dfunc_decide.output;
  const { workflow } = acme;
  assert.deepEqual(await decided(), { decision: "DECLINE", output: { new: "new" } });

  // A pin of the function alone, then of the source too.
  const set = await service.verb("workflow set", { workflow, function: ["dfunc_decide=1"] });
  assert.deepEqual(
    set.versions.map(({ kind, id, number, percent }: Record<string, unknown>) => [kind, id, number, percent]),
    [["function", "dfunc_decide", 1, 100]],
  );
  await until(async () => (await decided()).decision === "APPROVE");
  assert.deepEqual((await decided()).output, { new: "new" });
  const digest = set.versions[0].digest as string;
  await service.verb("workflow set", { workflow, source: ["acme__facts=1"] });
  await until(async () => "old" in (await decided()).output);
  const { outputs } = await service.post("/data", DATA, acme);
  assert.deepEqual(outputs, { acme__facts: { old: "old" }, acme__coded: { text: "old" } });
  assert.deepEqual(await decided(other), { decision: "DECLINE", output: { new: "new" } });

  // The plan is that of the version.
  const plan = await service.verb("workflow plan", { workflow, source: ["acme__facts"] });
  assert.deepEqual([plan.at_most, plan.sources[0].input_names], [[{ amount: "1.00", currency: "EUR" }], ["old"]]);
  const listed = await service.verb("workflow list", { org: acme.id });
  assert.deepEqual(
    listed.workflows.map((each: { versions: object[] }) => each.versions.length),
    [0, 2],
  );

  // The ledger has what ran, and activity compares it.
  const { activity } = await service.verb("function activity", { function: "dfunc_decide", by: "version" });
  assert.deepEqual(new Set(activity.map((line: Record<string, unknown>) => line["version_number"])), new Set([1, 2]));
  const lineOf = (number: number) =>
    activity.find((line: Record<string, unknown>) => line["version_number"] === number);
  assert.equal(lineOf(1).version, digest);
  assert.equal(lineOf(1).answered, lineOf(1).runs);
  assert.match(lineOf(2).cost[0], /^\d+(\.\d+)? EUR$/);

  // Rollback of the workflow that is not pinned, by name; then of all that have called the function.
  const rolled = await service.verb("function rollback", { function: "dfunc_decide", workflow: other.workflow });
  assert.deepEqual(
    rolled.workflows.map((each: Record<string, unknown>) => [each["did"], each["from"], each["to"]]),
    [["pinned", 2, 1]],
  );
  await until(async () => (await decided(other)).decision === "APPROVE");
  assert.match(
    await service.refusal("function rollback", { function: "dfunc_decide" }),
    /^Nothing was changed: /,
    "both are pinned to another version than the loaded one",
  );
  assert.match(
    await service.refusal("function rollback", { function: "dfunc_decide", workflow }),
    /^dfunc_decide has no version before 1 \(/,
  );
  await service.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=1@90%"] });
  const pinned = await service.verb("function rollback", { function: "dfunc_decide" });
  assert.deepEqual(
    pinned.workflows
      .filter(({ did }: Record<string, unknown>) => did !== "nothing")
      .map(({ from, to, percent_before: percent }: Record<string, unknown>) => [from, to, percent]),
    [[2, 1, 90]],
  );
  await service.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=latest"] });
  // Its only run may not have reached the shared ledger yet.
  const justCalled = { ...acme, workflow: await service.operator.createWorkflow(acme.id) };
  assert.equal((await decided(justCalled)).decision, "DECLINE");
  const all = await service.verb("function rollback", { function: "dfunc_decide" });
  assert.deepEqual(
    new Set(all.workflows.map((each: Record<string, string>) => `${each["workflow"]} ${each["did"]}`)),
    new Set([`${other.workflow} pinned`, `${justCalled.workflow} pinned`, `${workflow} nothing`]),
  );

  const refusal = (named: object) => service.refusal("workflow set", { workflow, ...named });
  assert.match(await refusal({ function: ["dfunc_none=1"] }), /^There is no function "dfunc_none"/);
  assert.match(await refusal({ function: ["dfunc_decide=3"] }), /has no version "3"\. It has 2 \(.{6}\), 1 \(/);
  for (const share of ["0", "101%", "-1%"]) await refusal({ function: [`dfunc_decide=1@${share}`] });
  assert.match(await refusal({ function: ["dfunc_decide=1@0"] }), /more than 0 and at most 100/);
  assert.match(await refusal({ function: ["dfunc_decide=latest@5%"] }), /latest takes no percentage/);
  await service.verb("workflow set", { workflow, source: ["acme__coded=1"] });

  const entries = (await service.operator.auditEntries()).filter(({ what }) => what === "workflow set");
  assert.deepEqual(entries.at(-1)?.detail, {
    versions: { functions: { dfunc_decide: { number: 1, digest } } },
    before: { versions: { functions: { dfunc_decide: "latest" } } },
  });

  // Damage of the stored text, at a service that has not loaded it yet.
  await service.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=1"] });
  await service.close();
  await damage("function", "AAAA");
  await damage("source", "AAAA");
  const third = await serve(t);
  const status = async () => (await third.post("/func", FUNC, other)).status.dfunc_decide;
  const failed = await status();
  assert.match(failed.message, /^Data function error: version .{6} of this function, .* cannot be used/);
  assert.deepEqual([failed.failure.kind, failed.failure.retryable, failed.failure.charged], ["internal", false, "no"]);
  const requests = vendor.count();
  const answer = await third.post("/data", DATA, acme);
  assert.equal(answer.status.acme__facts.failure.kind, "internal");
  assert.deepEqual(answer.outputs, { acme__facts: {}, acme__coded: { text: "old" } });
  assert.equal(vendor.count(), requests, "nothing was sent");
  assert.match(
    await third.refusal("workflow set", { workflow: other.workflow, function: ["dfunc_decide=1"] }),
    /is damaged/,
  );
  await third.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=latest"] });
  await until(async () => (await status()).success);
});

test("a canary gets its share of the runs, and each run records what ran", async (t) => {
  const { serve, deployNew } = await versionedDeployment(t, engine);
  const first = await serve(t);
  const acme = await first.operator.createOrganization("Acme");
  await first.close();
  deployNew();
  const service = await serve(t);
  await service.verb("workflow set", { workflow: acme.workflow, source: ["acme__facts=1@50%"] });
  const names = async () => Object.keys((await service.post("/data", DATA, acme)).outputs.acme__facts)[0];
  await until(async () => (await names()) === "old");
  const RUNS = 200;
  const got: (string | undefined)[] = [];
  for (let at = 0; at < RUNS; at += 20) got.push(...(await Promise.all(Array.from({ length: 20 }, names))));
  const old = got.filter((name) => name === "old").length;
  assert.ok(Math.abs(old - RUNS / 2) <= 3 * Math.sqrt(RUNS / 4), `${old} of ${RUNS}`);
});

test("versions that workflows name are loaded at the start and after a change, not in the first run", async (t) => {
  const { serve, deployNew, damage, logged } = await versionedDeployment(t, engine);
  const first = await serve(t);
  const acme = await first.operator.createOrganization("Acme");
  const { workflow } = acme;
  await first.verb("workflow set", { workflow, function: ["dfunc_decide=1"], source: ["acme__facts=1@100%"] });
  await first.close();
  deployNew();
  const service = await serve(t);
  // Whatever is loaded from the store from now on fails.
  await damage("function", "AAAA");
  await damage("source", "AAAA");
  const { decision, output } = (await service.post("/func", FUNC, acme)).outputs.dfunc_decide.output;
  assert.deepEqual([decision, output], ["APPROVE", { old: "old" }]);
  const [digest] = await service.versions("dfunc_decide");
  await service.close();

  const second = await serve(t);
  assert.equal((await logged("version_not_loaded")).length, 2, "a start does not fail for it");
  // A change by another process.
  const versions = { functions: { dfunc_decide: { version: `${digest!.slice(0, -1)}_`, percent: 5 } } };
  await second.operator.createWorkflow(acme.id, { versions: { ...versions, sources: {}, shadow: {} } });
  await until(async () => (await logged("version_not_loaded")).length === 3);
});

test("rollback of a canary of a later version gives all runs the loaded version", async (t) => {
  const { serve, deployNew, deployOldFunction } = await versionedDeployment(t, engine);
  const first = await serve(t);
  const acme = await first.operator.createOrganization("Acme");
  await first.close();
  deployNew();
  await (await serve(t)).close();
  deployOldFunction();
  const service = await serve(t);
  const { workflow } = acme;
  const decision = async () => (await service.post("/func", FUNC, acme)).outputs.dfunc_decide.output.decision;
  await service.verb("workflow set", { workflow, function: ["dfunc_decide=2@50%"] });
  await until(async () => (await decision()) === "DECLINE");
  const rolled = await service.verb("function rollback", { function: "dfunc_decide" });
  assert.deepEqual(
    rolled.workflows.map(({ did, from, to, percent_before: percent }: Record<string, unknown>) => [
      did,
      from,
      to,
      percent,
    ]),
    [["ended_canary", 2, 1, 50]],
  );
  const listed = await service.verb("workflow list", { org: acme.id });
  assert.deepEqual(listed.workflows[0].versions, []);
  // From then on, no run gets the canary any more.
  await until(async () => (await Promise.all(Array.from({ length: 10 }, decision))).every((it) => it === "APPROVE"));
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, decision))), new Set(["APPROVE"]));
});

test("a workflow cannot be set to an older version of a TypeScript source, and no other version runs instead", async (t) => {
  const { serve, deployNewCode, logged } = await versionedDeployment(t, engine);
  const first = await serve(t);
  const acme = await first.operator.createOrganization("Acme");
  const { workflow } = acme;
  // The loaded version: allowed, with a warning.
  await first.verb("workflow set", { workflow, source: ["acme__coded=1"] });
  const other = { ...acme, workflow: await first.operator.createWorkflow(acme.id) };
  await first.close();
  deployNewCode();
  const service = await serve(t);
  assert.match(
    await service.refusal("workflow set", { workflow: other.workflow, source: ["acme__coded=1"] }),
    /^Version .{6} of acme__coded cannot be used: it is written in TypeScript, and code from the store is not run/,
  );
  assert.equal((await service.post("/data", DATA, other)).outputs.acme__coded.text, "new", "nothing was changed");
  const { status, outputs } = await service.post("/data", DATA, acme);
  assert.match(status.acme__coded.message, /^Adapter error: version .{6} of this source/);
  assert.deepEqual([status.acme__coded.success, status.acme__coded.failure.charged], [false, "no"]);
  assert.deepEqual(outputs, { acme__coded: {}, acme__facts: { old: "old" } });
  assert.deepEqual(
    (await logged("version_not_loaded")).map(({ source }) => source),
    ["acme__coded"],
    "known since the start",
  );
  await service.verb("workflow set", { workflow, source: ["acme__coded=latest"] });
  await until(async () => (await service.post("/data", DATA, acme)).outputs.acme__coded.text === "new");
});
