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
        const { rule, cred_id, usable, problem, needs_credential } = one;
        assert.deepEqual(
          { ...cell, needs_credential: row.needs_credential },
          { rule, cred_id, usable, problem, reason: cell.reason, needs_credential },
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
