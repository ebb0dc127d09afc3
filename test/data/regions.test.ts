import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type ServiceOptions, startService } from "../rig/service.ts";
import { asksVendor, sendsCredential } from "../rig/sources.ts";
import { project } from "../start/project-folder.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** A service in `us`, with a source for each place and one that takes a credential. */
async function startIn(t: TestContext, region: string | undefined, options: ServiceOptions = {}) {
  const vendor = await startVendor(t);
  const service = await startService(t, {
    sources: [
      asksVendor("acme__eu", vendor, "/eu", { regions: ["eu", "uk"] }),
      asksVendor("acme__us", vendor, "/us", { regions: ["us"] }),
      asksVendor("acme__anywhere", vendor, "/anywhere"),
      sendsCredential("bell__people", vendor, "/people"),
    ],
    vendors: [vendor],
    workflow: { failureDetails: true, autoCredentials: true },
    ...options,
    settings: { ...(region === undefined ? {} : { region }), ...options.settings },
  });
  return { vendor, service };
}

const REFUSED = (region: string) =>
  `Adapter error: this source may only be used in eu or uk, and the region of this service is ${region}`;

test("a source is refused outside its regions: nothing is sent, the ledger says why, and its siblings are asked", async (t) => {
  const { vendor, service } = await startIn(t, "us");
  const {
    status,
    outputs,
    transaction_id: id,
  } = (await service.run({ acme__eu: true, acme__us: true, acme__anywhere: true })).json();

  assert.equal(status.acme__eu.message, REFUSED("us"));
  assert.deepEqual(status.acme__eu.failure, { kind: "region", retryable: false, charged: "no" });
  assert.deepEqual(outputs.acme__eu, {});
  assert.deepEqual([status.acme__us.success, status.acme__anywhere.success], [true, true]);
  assert.deepEqual([vendor.count("/eu"), vendor.count("/us"), vendor.count("/anywhere")], [0, 1, 1]);
  const { run, calls, attempts } = service.ledgerRows(id);
  const call = calls.find(({ source }) => source === "acme__eu")!;
  assert.deepEqual([run["region"], call["fault_code"], call["charged"]], ["us", "source.region_refused", "no"]);
  assert.ok(attempts.every(({ ordinal }) => ordinal !== call["ordinal"]));
});

test("a service without a configured region is in no other source's region", async (t) => {
  const { vendor, service } = await startIn(t, undefined);
  const { status } = (await service.run({ acme__eu: true })).json();
  assert.equal(status.acme__eu.message, REFUSED("local"));
  assert.equal(vendor.count(), 0);
});

test("a region is a name, and names are compared as they are written", async (t) => {
  for (const region of ["EU", "eu-west-1", "e", "eu or uk"]) {
    const { vendor, service } = await startIn(t, region);
    const { status } = (await service.run({ acme__eu: true })).json();
    assert.equal(status.acme__eu.message, REFUSED(region));
    assert.equal(vendor.count(), 0);
  }
});

test("a credential is refused outside its regions by every rule that chooses it, and no other is used instead", async (t) => {
  const { vendor, service } = await startIn(t, "us");
  const { a, b, operator } = service;
  const store = (owner: typeof a, key: string, more: object = {}) =>
    operator.storeCredential(owner, { source: "bell__people", fields: { api_key: key }, ...more });
  await store(a, "key-for-anywhere");
  const newest = await store(a, "key-for-eu", { regions: ["eu"], isDefault: true });
  await store(b, "key-for-both", { regions: ["eu", "us"] });
  const refused = "Adapter error: the credential may only be used in eu, and the region of this service is us";
  const byDefault = await operator.createWorkflow(a.id, { autoCredentials: false });

  for (const [entry, rule, as] of [
    [{ cred_id: newest }, "named", a],
    [true, "auto", a],
    [true, "default", { ...a, workflow: byDefault }],
  ] as const) {
    const { status, transaction_id: id } = (await service.run({ bell__people: entry }, {}, { as })).json();
    assert.equal(status.bell__people.message, refused, rule);
    const call = service.ledgerRows(id).calls.find(({ source }) => source === "bell__people")!;
    assert.equal(call["fault_code"], "source.region_refused");
  }
  assert.equal(vendor.count(), 0);
  const inline = { credentials: { api_key: service.secrets.add("inline-key") } };
  assert.equal((await service.run({ bell__people: inline })).json().status.bell__people.success, true);
  assert.equal((await service.run({ bell__people: true }, {}, { as: b })).json().status.bell__people.success, true);
});

test("a function's calls are refused like any other", async (t) => {
  const folder = project(t, {
    "functions/asks.mjs": `export default { id: "dfunc_asks", title: "T", async run({ run }) {
      const [eu, us] = await Promise.all([run("acme__eu", {}), run("acme__us", {})]);
      return { output: { eu: eu.message, us: us.success } };
    } };`,
  });
  const { vendor, service } = await startIn(t, "us", { project: folder });
  const { outputs } = (await service.post("/func", { config: { data_func: "dfunc_asks" }, inputs: {} })).json();
  assert.deepEqual(outputs["dfunc_asks"].output, { eu: REFUSED("us"), us: true });
  assert.deepEqual([vendor.count("/eu"), vendor.count("/us")], [0, 1]);
});

test("a simulated run sends nothing, so it is not refused", async (t) => {
  const cases = [{ name: "found", inputs: {}, reply: { body: { n: 1 } }, expect: { match: true } }] as const;
  const vendor = await startVendor(t);
  const { service } = await startIn(t, "us", {
    sources: [asksVendor("acme__eu", vendor, "/eu", { regions: ["eu"], cases })],
    workflow: { simulated: true },
  });
  assert.deepEqual((await service.run({ acme__eu: true })).json().outputs.acme__eu, { n: 1 });
  assert.equal(vendor.count(), 0);
});
