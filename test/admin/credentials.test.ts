import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { sendsCredential } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

test("a list of credentials has the names of their fields and their last use, and no value", async (t) => {
  const vendor = await startVendor(t);
  const source = sendsCredential("acme__people", vendor, "/json");
  const service = await startService(t, { sources: [source], vendors: [vendor], workflow: { autoCredentials: true } });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const org = service.a.id;
  const fields = { api_key: service.secrets.add("a-secret-that-stays"), note: service.secrets.add("another-secret") };
  const { cred_id } = await result("credential create", { org, source: "acme__people", fields }, ada);
  const listed = async () => (await result("credential list", { org }, ada)).credentials[0];
  const before = await listed();
  assert.deepEqual([before.cred_id, before.fields, before.last_used_at], [cred_id, ["api_key", "note"], null]);

  const startedAt = Date.now();
  assert.equal((await service.run({ acme__people: true })).json().status.acme__people.success, true);
  // A shared ledger gets the run a moment later.
  await until(async () => (await listed()).last_used_at !== null);
  const usedAt = Date.parse((await listed()).last_used_at);
  assert.ok(usedAt >= startedAt && usedAt <= Date.now(), String(usedAt));
  const [entry] = (await result("audit list", { org }, ada)).entries;
  assert.deepEqual([entry.what, entry.detail.fields], ["credential create", ["api_key", "note"]]);

  // Stored by a version that did not record the names.
  await service.operator.storeCredential(service.a, { source: "acme__people", fields: { api_key: "an-older-secret" } });
  assert.deepEqual((await listed()).fields, null);
});

interface Choice {
  readonly rule: string;
  readonly cred_id: string | null;
  readonly usable: boolean;
  readonly reason: string;
}

interface Flow {
  readonly workflow: string;
  readonly auto_credentials: boolean;
}

interface Row {
  readonly source: string;
  readonly needs_credential: string;
  readonly auto_credentials: Choice;
  readonly no_auto_credentials: Choice;
}

test("the matrix of an organization says of each workflow and source what a run does", async (t) => {
  const vendor = await startVendor(t);
  const sources = ["acme__people", "bell__phone", "core__firms"].map((id) => sendsCredential(id, vendor, "/json"));
  const service = await startService(t, { sources, vendors: [vendor], settings: { region: "eu" } });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const org = service.a.id;
  const store = (source: string, more: object = {}) =>
    result(
      "credential create",
      { org, source, fields: { api_key: service.secrets.add(`secret-of-${source}`) }, ...more },
      ada,
    );
  await store("acme__people", { default: true });
  const newer = await store("acme__people", { context: ["prod"] });
  await store("bell__phone", { default: true, region: ["us"] });
  for (const auto_credentials of [true, false])
    for (const name of ["x", "y"]) await result("workflow create", { org, name, auto_credentials }, ada);

  for (const context of ["dev", "prod"]) {
    const workflows: Flow[] = [];
    let after: string | undefined;
    let matrix: { readonly sources?: readonly Row[]; readonly workflows: readonly Flow[]; readonly next?: string };
    const rows: Row[] = [];
    do {
      matrix = await result("credential matrix", { org, context, limit: 2, ...(after && { after }) }, ada);
      workflows.push(...matrix.workflows);
      // What is the same for all workflows is found out once.
      assert.equal(matrix.sources === undefined, after !== undefined);
      rows.push(...(matrix.sources ?? []));
      after = matrix.next;
    } while (after !== undefined);
    assert.equal(workflows.length, 5);
    assert.deepEqual(
      rows.map(({ source }) => source),
      ["acme__people", "bell__phone", "core__firms"],
    );
    for (const { workflow, auto_credentials } of workflows) {
      for (const row of rows) {
        const cell = auto_credentials ? row.auto_credentials : row.no_auto_credentials;
        const { steps, ...one } = await result("credential explain", { workflow, source: row.source, context }, ada);
        const { rule, cred_id, cred_name, usable, problem, needs_credential } = one;
        assert.deepEqual(
          { ...cell, needs_credential: row.needs_credential },
          { rule, cred_id, cred_name, usable, problem, reason: cell.reason, needs_credential },
        );
        assert.ok(steps.some(({ reason }: { reason: string }) => reason === cell.reason));
      }
    }
    const [people, phone, firms] = rows as [Row, Row, Row];
    assert.equal(people.auto_credentials.cred_id === newer.cred_id, context === "prod");
    assert.notEqual(people.no_auto_credentials.cred_id, newer.cred_id);
    assert.equal(phone.no_auto_credentials.usable, false);
    assert.match(
      phone.no_auto_credentials.reason,
      /it is the organization's default .*, but it may only be used in us/,
    );
    assert.deepEqual([firms.auto_credentials.rule, firms.auto_credentials.cred_id], ["none", null]);
  }
  assert.equal(vendor.requests.length, 0);
});

test("a credential has a name wherever its id is shown, and lists find it by it", async (t) => {
  const vendor = await startVendor(t);
  const sources = ["acme__people", "bell__phone"].map((id) => sendsCredential(id, vendor, "/json"));
  const service = await startService(t, { sources, vendors: [vendor], workflow: { autoCredentials: true } });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const { id: org, workflow } = service.a;
  const create = async (source: string, more: object) =>
    (
      await result(
        "credential create",
        { org, source, fields: { api_key: service.secrets.add(`secret-${source}`) }, ...more },
        ada,
      )
    ).cred_id;
  const people = await create("acme__people", { name: "Main contract" });
  const phone = await create("bell__phone", {});
  const named = async (filter: object) =>
    (await result("credential list", filter, ada)).credentials.map(
      ({ cred_id: id, name, organization_tuid: of }: Record<string, string>) => [id, name, of],
    );
  assert.deepEqual(await named({}), [
    [phone, null, org],
    [people, "Main contract", org],
  ]);
  assert.deepEqual(await named({ name: "CONTR" }), [[people, "Main contract", org]]);
  assert.deepEqual(await named({ org, source: "bell__phone" }), [[phone, null, org]]);
  assert.equal((await call("credential list", { name: "a\u202eb" }, { as: ada })).statusCode, 422);
  const renamed = await result("credential rename", { cred_id: phone, name: "Phone" }, ada);
  assert.equal(renamed.name, "Phone");

  const { steps, cred_name } = await result("credential explain", { workflow, source: "acme__people" }, ada);
  assert.equal(cred_name, "Main contract");
  assert.ok(steps.some((step: Record<string, string>) => step["cred_name"] === "Main contract"));
  const matrix = await result("credential matrix", { org }, ada);
  assert.equal(matrix.sources[0].auto_credentials.cred_name, "Main contract");
  const plan = await result("workflow plan", { workflow, source: ["bell__phone"] }, ada);
  assert.equal(plan.sources[0].cred_name, "Phone");
  assert.equal((await result("credential price current", { org }, ada)).credentials[0].name, "Phone");
  const found = (await result("object find", { text: "main con" }, ada)).matches;
  assert.deepEqual([found[0].id, found[0].name], [people, "Main contract"]);
  const { transaction_id } = (await service.run({ acme__people: true })).json();
  await until(async () => (await call("ledger show", { transaction: transaction_id }, { as: ada })).statusCode === 200);
  assert.equal(
    (await result("ledger show", { transaction: transaction_id }, ada)).calls[0].credential_name,
    "Main contract",
  );
  assert.equal((await result("credential rename", { cred_id: phone }, ada)).name, null);
});
