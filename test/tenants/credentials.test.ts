import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Organization } from "../rig/organization.ts";
import { startService } from "../rig/service.ts";
import { sendsCredential } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });
const names = ["named", "automatic", "default", "both", "twin"];
const service = await startService(
  { after },
  { sources: names.map((name) => sendsCredential(`acme__${name}`, vendor, `/${name}`)), vendors: [vendor] },
);
const { a, b, operator } = service;
const automaticOf = async ({ id, token }: Organization) => ({
  token,
  workflow: await operator.createWorkflow(id, { autoCredentials: true }),
});

const keysAt = (name: string) =>
  vendor.requests.filter(({ path }) => path === `/${name}`).map(({ headers }) => headers["x-api-key"]);
const messageOf = async (name: string, entry: unknown, as: Pick<Organization, "token" | "workflow">) =>
  (await service.run({ [`acme__${name}`]: entry }, {}, { as })).json().status[`acme__${name}`].message as string;

test("a cred_id of another organization cannot be used, and looks like one that does not exist", async () => {
  const theirs = await operator.storeCredential(b, { source: "acme__named", fields: { api_key: "named-key-of-b" } });
  const said = new Set<string>();
  for (const as of [a, await automaticOf(a)]) {
    for (const cred_id of [theirs, `cred_${"0".repeat(32)}`, b.id]) said.add(await messageOf("named", { cred_id }, as));
  }
  assert.deepEqual([...said], ["Adapter error: the credential named by cred_id cannot be used"]);
  assert.deepEqual(keysAt("named"), []);
  assert.equal(await messageOf("named", { cred_id: theirs }, b), "Record found");
});

test("neither automatic selection nor a default reaches across", async () => {
  await operator.storeCredential(b, { source: "acme__automatic", fields: { api_key: "automatic-of-b" } });
  await operator.storeCredential(b, { source: "acme__default", fields: { api_key: "default-of-b" }, isDefault: true });
  for (const name of ["automatic", "default"]) {
    assert.equal(await messageOf(name, true, await automaticOf(a)), "Adapter error: no credential for this source");
    assert.deepEqual(keysAt(name), []);
    assert.equal(await messageOf(name, true, await automaticOf(b)), "Record found");
  }
});

test("each gets its own where both have one, in whatever order and however often they ask", async () => {
  for (const [organization, key] of [
    [a, "both-key-of-a"],
    [b, "both-key-of-b"],
  ] as const) {
    await operator.storeCredential(organization, { source: "acme__both", fields: { api_key: key }, isDefault: true });
  }
  for (const as of [a, b, b, a, b, a]) await messageOf("both", true, as);
  assert.deepEqual(keysAt("both"), [
    "both-key-of-a",
    "both-key-of-b",
    "both-key-of-b",
    "both-key-of-a",
    "both-key-of-b",
    "both-key-of-a",
  ]);
  const asked = Array.from({ length: 40 }, (_, number) => (number % 2 === 0 ? a : b));
  await Promise.all(asked.map((as) => messageOf("both", true, as)));
  const counted = Map.groupBy(keysAt("both").slice(6), (key) => key);
  assert.deepEqual([counted.get("both-key-of-a")!.length, counted.get("both-key-of-b")!.length], [20, 20]);
});

test("to take a credential away from one leaves the other's, and a default of one is no rival to the other's", async () => {
  const ofA = await operator.storeCredential(a, {
    source: "acme__twin",
    fields: { api_key: "twin-key-of-a" },
    isDefault: true,
  });
  const ofB = await operator.storeCredential(b, {
    source: "acme__twin",
    fields: { api_key: "twin-key-of-b" },
    isDefault: true,
  });
  assert.equal(await messageOf("twin", true, a), "Record found");
  assert.equal(await messageOf("twin", true, b), "Record found");
  await operator.deleteCredential(ofB);
  await operator.disableCredential(ofB);
  const { calls } = service.ledgerRows((await service.run({ acme__twin: true })).json().transaction_id);
  assert.equal(calls[0]!["credential_id"], ofA);
});
