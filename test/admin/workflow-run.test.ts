import assert from "node:assert/strict";
import { test } from "node:test";
import { toRunnable } from "../../src/sources/runnable.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { answers, asksVendor, sendsCredential } from "../rig/sources.ts";
import { hang, json } from "../vendor/behaviours.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const lei = {
  type: "object",
  properties: { lei: { type: "string", minLength: 4, examples: ["529900T8BM49AURSDO55"] } },
  required: ["lei"],
} as const;

test("an operator asks several sources in one run, and gets the whole answer", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/json", json({ name: "Ada" }));
  vendor.on("/hang", hang);
  const service = await startService(t, {
    sources: [
      asksVendor("acme__people", vendor, "/json"),
      asksVendor("bell__phone", vendor, "/hang", { timeout_ms: 300 }),
    ],
    vendors: [vendor],
  });
  const { result, call } = adminPort(t, service.adminUrl, service.secrets);
  const [ada, eve] = [await service.operator.appoint("operator", "ada"), await service.operator.appoint("viewer")];
  const { workflow, id: org } = service.a;
  const input = { workflow, source: ["acme__people", "bell__phone", "ok__echo"], context: "test", inputs: { x: 1 } };

  const run = await result("workflow run", input, ada);
  service.expectRunWithoutAnswer();
  assert.match(run.transaction_id, /^trx_/);
  assert.equal(run.config.context, "test");
  assert.deepEqual(Object.keys(run.outputs), input.source);
  assert.deepEqual(run.outputs["acme__people"], { name: "Ada" });
  assert.deepEqual(
    Object.values(run.status as Record<string, { success: boolean }>).map(({ success }) => success),
    [true, false, true],
  );

  assert.equal((await call("workflow run", input, { as: eve })).statusCode, 403);
  assert.equal((await call("workflow run", { ...input, source: [] }, { as: ada })).statusCode, 422);
  const entries = (await result("audit list", { org }, ada)).entries as { who: string; what: string }[];
  assert.deepEqual(
    entries.filter(({ what }) => what === "workflow run").map(({ who }) => who),
    ["ada", "ada"],
    "the token of the run, and its end",
  );
});

test("a plan shows what a run would do and cost, and calls no vendor", async (t) => {
  const vendor = await startVendor(t);
  const list = { model: "per_match", amount: 2.5, currency: "EUR" } as const;
  const off = toRunnable(asksVendor("gina__off", vendor, "/json"), createSchemas(), "now");
  const service = await startService(t, {
    sources: [
      sendsCredential("acme__people", vendor, "/json", { charge: list, inputs: lei }),
      sendsCredential("bell__phone", vendor, "/json", { charge: list, title: "Bell" }),
      asksVendor("carl__unpriced", vendor, "/json"),
      asksVendor("dora__abroad", vendor, "/json", { regions: ["us"], charge: list }),
      asksVendor("emil__open", vendor, "/json", { charge: "free" }),
      answers("fred__here", {}),
    ],
    loaded: new Map([["gina__off", { source: off, file: "gina__off.ts", from: "catalog" }]]),
    workflow: { autoCredentials: true },
    vendors: [vendor],
  });
  const { result, call } = adminPort(t, service.adminUrl, service.secrets);
  const [eve, owner] = [await service.operator.appoint("viewer"), await service.operator.appoint("owner")];
  const { workflow, id: org } = service.a;
  const key = service.secrets.add("a-key-that-nobody-sees");
  const { cred_id } = await result(
    "credential create",
    { org, source: "acme__people", fields: { api_key: key } },
    owner,
  );
  const all = [
    "acme__people",
    "bell__phone",
    "carl__unpriced",
    "dora__abroad",
    "emil__open",
    "fred__here",
    "none__such",
    "gina__off",
  ];
  const plan = (input: object) => result("workflow plan", { workflow, source: all, ...input }, eve);

  const listed = await plan({});
  // One without a credential, one in another region and one that does not exist are not asked: they cost nothing.
  assert.deepEqual(listed.at_most, [{ amount: "2.50", currency: "EUR" }]);
  assert.equal(listed.context, "dev");
  assert.deepEqual(listed.unknown_cost, ["carl__unpriced"]);
  const of = Object.fromEntries((listed.sources as { source: string }[]).map((row) => [row.source, row])) as Record<
    string,
    Record<string, unknown>
  >;
  assert.deepEqual(
    all.map((id) => of[id]!["cost"]),
    ["known", "nothing", "unknown", "nothing", "nothing", "nothing", "nothing", "nothing"],
  );
  assert.deepEqual(
    all.map((id) => of[id]!["problem"] !== null),
    [false, true, false, true, false, false, true, true],
  );
  assert.deepEqual(
    [of["acme__people"]!["cred_id"], of["acme__people"]!["rule"], of["acme__people"]!["price_from"]],
    [cred_id, "auto", "source"],
  );
  assert.deepEqual(of["acme__people"]!["example"], { lei: "529900T8BM49AURSDO55" });
  assert.deepEqual(of["acme__people"]!["input_problem"], null, "nothing was given to judge");

  // One of the catalog that the settings do not name is answered like one that does not exist.
  assert.deepEqual([of["gina__off"]!["known"], of["gina__off"]!["on"], of["emil__open"]!["on"]], [true, false, true]);
  assert.match(String(of["gina__off"]!["problem"]), /is off, and a run answers "Adapter not found"/);
  const { status } = (await service.run({ gina__off: true })).json();
  assert.match(status.gina__off.message, /^Adapter not found for gina__off/);

  await result("credential price set", { cred_id, amount: "0.35", currency: "USD", from: "2026-01-01" }, owner);
  // What is stored is known to runs, and so to plans, within a moment.
  const priced = () => plan({ inputs: { lei: "529900T8BM49AURSDO55" } });
  await until(async () => (await priced()).sources[0].price_from === "credential");
  assert.deepEqual((await priced()).at_most, [{ amount: "0.35", currency: "USD" }]);

  const wrong = await plan({ inputs: { lei: "1" } });
  assert.deepEqual(wrong.sources[0].input_problem, { path: "/lei", message: "must have at least 4 characters" });
  assert.deepEqual(wrong.at_most, []);

  const simulated = await result("workflow create", { org, simulated: true }, owner);
  const invented = await result("workflow plan", { workflow: simulated.workflow, source: all, context: "prod" }, eve);
  assert.deepEqual([invented.at_most, invented.unknown_cost, invented.workflow.simulated], [[], [], true]);
  assert.match(invented.problem, /refuses the context prod/);
  assert.equal((await call("workflow plan", { workflow: "wfl_none" }, { as: eve })).statusCode, 404);
  assert.equal(vendor.count(), 0);
});
