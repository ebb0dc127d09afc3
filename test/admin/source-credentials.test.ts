import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { sendsCredential } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

test("a viewer sees which organizations have a credential for a source, and none of its fields", async (t) => {
  const vendor = await startVendor(t);
  const sources = ["acme__people", "acme__firms"].map((id) => sendsCredential(id, vendor, "/json"));
  const service = await startService(t, { sources, vendors: [vendor] });
  const { a, b, operator } = service;
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const store = (owner: typeof a, source: string, api_key: string, isDefault = false) =>
    operator.storeCredential(owner, { source, fields: { api_key }, isDefault });
  const first = await store(a, "acme__people", "the-first-secret", true);
  const other = await store(b, "acme__people", "the-other-secret");
  await store(a, "acme__firms", "a-secret-of-another-source");
  const gone = await store(b, "acme__people", "the-secret-that-goes");
  await operator.deleteCredential(gone);
  await operator.disableCredential(other);
  await operator.changeOrganization(b.id, { disabled: true });

  const viewer = await operator.appoint("viewer");
  const { credentials } = await result("source credentials", { source: "acme__people" }, viewer);
  assert.deepEqual(
    credentials.map((row: Record<string, unknown>) => [
      row["organization"],
      row["organization_disabled"],
      row["cred_id"],
      row["default"],
      row["disabled"],
    ]),
    [
      ["B", true, other, false, true],
      ["A", false, first, true, false],
    ],
  );
  const page = await result("source credentials", { source: "acme__people", limit: 1 }, viewer);
  const rest = await result("source credentials", { source: "acme__people", after: page.next }, viewer);
  assert.deepEqual([...page.credentials, ...rest.credentials], credentials);
  assert.deepEqual((await result("source credentials", { source: "acme__unknown" }, viewer)).credentials, []);
});
