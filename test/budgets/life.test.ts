import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { bare, hang, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { deployment, STORES } from "./deployment.ts";

async function withAsker(t: TestContext, store: (typeof STORES)[number]) {
  const here = await deployment(t, store);
  const asker = await here.operator.createOrganization("A", { autoCredentials: true });
  await here.operator.storeCredential(asker, { source: "acme__people", fields: { api_key: "asked" } });
  const post = (sources: object, workflow = asker.workflow) =>
    here.post("/data", { ...asker, workflow }, { config: { sources } });
  const ask = async () => (await post({ acme__people: true })).status["acme__people"]!;
  return { ...here, org: asker.id, asker, post, ask };
}

for (const store of STORES) {
  test(`a budget is noticed, warned of, raised, kept over a restart and removed: ${store}`, async (t) => {
    const { ask, verb, metrics, restart, org, vendor } = await withAsker(t, store);
    assert.ok((await ask()).success, "the organization is known before it has a budget");
    const set = (limit: string) => verb(`budget set --org ${org} --source acme__people --per month ${limit}`);
    const { budget } = await set("--amount 1.40 --currency EUR --warn 75");
    let allowed = 1;
    while ((await ask()).success) allowed += 1;
    // Until the service notices, at most a few have gone.
    assert.ok(allowed >= 5, `${allowed}`);
    assert.match(
      (await ask()).message,
      new RegExp(`^Adapter error: budget ${budget} .*source acme__people; 1.40 EUR a month`),
    );
    assert.equal(vendor.count("/asked"), allowed);
    const page = await metrics();
    assert.match(page, /^datarun_budgets_nearly_used 1$/m);
    assert.match(page, new RegExp(`^datarun_budget_used_ratio{budget="${budget}"} 1$`, "m"));
    assert.match(page, /^datarun_source_calls_total{source="acme__people",outcome="budget"} 2$/m);

    const rejected = async () => Number((await verb(`budget show ${budget}`))["rejected_calls"]);
    await until(async () => (await rejected()) === 2);
    assert.equal((await set("--amount 2.10 --currency EUR"))["budget"], budget);
    assert.equal(await rejected(), 0, "it may have room again since its limit was set");
    await until(async () => (await ask()).success);
    await restart();
    assert.ok((await ask()).success);
    assert.ok(!(await ask()).success);
    assert.equal(vendor.count("/asked"), allowed + 2);
    const shown = await verb(`budget show ${budget}`);
    assert.deepEqual([shown["used"], shown["left"]], ["2.10 EUR", "0.00 EUR"]);
    // What it rejects is on the ledger, so that another start knows it too.
    await until(async () => (await rejected()) >= 1);
    await restart();
    const [first] = (await verb("attention show"))["attention"] as unknown as { what: string; says: string }[];
    assert.equal(first?.what, "budget_rejects");
    assert.match(
      first.says,
      /^The budget of organization org_\w+, source acme__people has rejected \d+ calls? since [-\d]+ [:\d]+ UTC\. Used this month: 2\.10 EUR of 2\.10 EUR\.$/,
    );
    await verb(`budget remove ${budget}`);
    await until(async () => (await ask()).success);
  });
}

test("simulated runs and requests that are declared free use nothing", async (t) => {
  const { admin, operator, asker, post, verb, org } = await withAsker(t, "SQLite");
  const { budget } = await verb(`budget set --org ${org} --per day --calls 1`);
  const simulated = await operator.createWorkflow(asker.id, { simulated: true });
  for (let times = 0; times < 3; times += 1) {
    await post({ acme__people: true }, simulated);
    assert.ok((await post({ acme__sibling: true })).status["acme__sibling"]!.success);
  }
  const use = (await admin.budget(budget!))!;
  assert.deepEqual([use.used, use.leased], [0n, 0n]);
  const both = await post({ acme__people: true, acme__sibling: true });
  assert.deepEqual(
    Object.values(both.status).map(({ success }) => success),
    [true, true],
  );
});

test("each request of a call needs room: one that was sent stays charged, and the next is not sent", async (t) => {
  const { post, verb, vendor, org } = await withAsker(t, "SQLite");
  const { budget } = await verb(`budget set --org ${org} --per day --amount 0.35 --currency EUR`);
  const { status } = await post({ acme__twice: true });
  assert.match(status["acme__twice"]!.message, new RegExp(`^Adapter error: budget ${budget} `));
  assert.deepEqual(
    ["/login", "/first", "/second"].map((path) => vendor.count(path)),
    [1, 1, 0],
  );
  await until(async () => (await verb(`budget show ${budget}`))["used"] === "0.35 EUR");
});

test("after kill -9 a budget counts what was charged or may have been, and nothing that was only leased", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/ok", json({})).on("/refused", bare(429)).on("/held", hang);
  const source = `export default {
    id: "acme__people", title: "People", inputs: { type: "object", properties: { path: { type: "string" } } },
    origins: ["${vendor.origin}"], charge: "per_call",
    run: ({ http, inputs }) => http.get("${vendor.origin}/" + inputs.path).then((reply) => reply.json()),
  };`;
  const { access, verb, start } = await deploy(t, { project: project(t, { "sources/acme__people.mjs": source }) });
  const { budget } = await verb("budget", "set", "--org", access.id, "--per", "month", "--calls", "1000");
  const first = await start();
  for (const path of ["ok", "refused", "ok", "ok"]) await first.run({ acme__people: true }, { path });
  const lost = first.run({ acme__people: true }, { path: "held" }).catch((error: Error) => error);
  await until(() => vendor.count("/held") === 1);
  first.signal("SIGKILL");
  await first.ended;
  assert.ok((await lost) instanceof Error);

  const second = await start();
  await second.run({ acme__people: true }, { path: "ok" });
  second.signal("SIGTERM");
  await second.ended;
  const { used } = await verb("budget", "show", budget);
  assert.equal(used, `${vendor.count("/ok") + vendor.count("/held")} requests`);
});
