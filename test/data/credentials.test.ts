import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../rig/service.ts";
import { answers, asksVendor, sendsCredential, source } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });
const subsets = Array.from({ length: 16 }, (_, bits) => bits);
const subsetSource = (bits: number) => `acme__subset_${bits}`;
const service = await startService(
  { after },
  {
    sources: [
      sendsCredential("acme__people", vendor, "/people"),
      sendsCredential("acme__contexts", vendor, "/contexts"),
      sendsCredential("acme__newest", vendor, "/newest"),
      sendsCredential("bell__phone", vendor, "/phone"),
      ...subsets.map((bits) => sendsCredential(subsetSource(bits), vendor, `/subset/${bits}`)),
      asksVendor("acme__open", vendor, "/open"),
      source("acme__optional", ({ credentials }) => ({ fields: Object.keys(credentials) }), {
        credentials: { type: "object", properties: { api_key: { type: "string" } } },
      }),
      answers(
        "acme__two_fields",
        {},
        {
          credentials: {
            type: "object",
            properties: { user: { type: "string" }, password: { type: "string" } },
            required: ["user", "password"],
          },
        },
      ),
    ],
    vendors: [vendor],
  },
);
const { a, b, operator } = service;
const automatic = await operator.createWorkflow(a.id, { autoCredentials: true });
let made = 0;
const secret = (what: string) => `canary-${what}-${++made}-${Math.random().toString(36).slice(2)}`;

/** The keys that reached the vendor on a path since the last look. */
function keysAt(path: string): (string | undefined)[] {
  const seen = vendor.requests.filter((request) => request.path === path && !looked.has(request));
  for (const request of seen) looked.add(request);
  return seen.map(({ headers }) => headers["x-api-key"]);
}
const looked = new Set<unknown>();

const UNUSABLE = "Adapter error: the credential named by cred_id cannot be used";

test("without a credential anywhere the source fails with 200, and the vendor is not called", async () => {
  for (const entry of [true, {}, { credentials: {} }, { note: "x" }]) {
    const { status } = (await service.run({ acme__people: entry })).json();
    assert.equal(status.acme__people.message, "Adapter error: no credential for this source");
  }
  assert.deepEqual(keysAt("/people"), []);
});

test("the order is: inline fields, the one named, the one selected automatically, the default", async () => {
  for (const bits of subsets) {
    const [inline, named, auto, standard] = [bits & 1, bits & 2, bits & 4, bits & 8];
    const id = subsetSource(bits);
    const keys = { inline: secret("inline"), named: secret("named"), auto: secret("auto"), default: secret("default") };
    if (standard) await operator.storeCredential(a, { source: id, fields: { api_key: keys.default }, isDefault: true });
    const credId = named ? await operator.storeCredential(a, { source: id, fields: { api_key: keys.named } }) : "";
    if (auto) await operator.storeCredential(a, { source: id, fields: { api_key: keys.auto } });
    const entry = {
      ...(named ? { cred_id: credId } : {}),
      ...(inline ? { credentials: { api_key: keys.inline } } : {}),
    };

    const as = { token: a.token, workflow: auto ? automatic : a.workflow };
    const reply = await service.run({ [id]: entry }, {}, { as });

    const rule = inline ? "inline" : named ? "named" : auto ? "auto" : standard ? "default" : "none";
    assert.deepEqual(keysAt(`/subset/${bits}`), rule === "none" ? [] : [keys[rule]], `subset ${bits}: ${rule}`);
    const call = service.ledgerRows(reply.json().transaction_id).calls[0]!;
    assert.equal(call["credential_rule"], rule);
  }
});

test("without automatic selection a stored credential that is no default is not taken", async () => {
  await operator.storeCredential(b, { source: "acme__people", fields: { api_key: secret("not-default") } });
  const { status } = (await service.run({ acme__people: true }, {}, { as: b })).json();
  assert.equal(status.acme__people.success, false);
  assert.deepEqual(keysAt("/people"), []);
});

test("inline fields are the whole credential: nothing is filled up from a stored one", async () => {
  const stored = { user: secret("user"), password: secret("password") };
  await operator.storeCredential(a, { source: "acme__two_fields", fields: stored, isDefault: true });
  const { status } = (await service.run({ acme__two_fields: { credentials: { user: secret("mine") } } })).json();
  assert.equal(status.acme__two_fields.message, "Adapter error: credential field password is required");
  assert.equal((await service.run({ acme__two_fields: true })).json().status.acme__two_fields.success, true);
});

test("a cred_id that cannot be used never falls through, and says the same whatever is wrong with it", async () => {
  await operator.storeCredential(a, {
    source: "acme__people",
    fields: { api_key: secret("default") },
    isDefault: true,
  });
  const other = await operator.storeCredential(b, { source: "acme__people", fields: { api_key: secret("of-b") } });
  const elsewhere = await operator.storeCredential(a, {
    source: "bell__phone",
    fields: { api_key: secret("elsewhere") },
  });
  const deleted = await operator.storeCredential(a, { source: "acme__people", fields: { api_key: secret("deleted") } });
  await operator.deleteCredential(deleted);
  const disabled = await operator.storeCredential(a, {
    source: "acme__people",
    fields: { api_key: secret("disabled") },
  });
  await operator.disableCredential(disabled);
  const prodOnly = await operator.storeCredential(a, {
    source: "acme__people",
    fields: { api_key: secret("prod") },
    contexts: ["prod"],
  });
  const wrong = {
    "another organization's": other,
    unknown: "cred_00000000000000000000000000000000",
    "for another source": elsewhere,
    deleted,
    disabled,
    "not for this context": prodOnly,
    empty: "",
    "a word": "x",
    "a path": "../../secrets",
    "an inherited name": "__proto__",
    "10 KB": "c".repeat(10_000),
    "not a text of this world": "\ud800\0",
  };
  for (const [name, credId] of Object.entries(wrong)) {
    const { status } = (await service.run({ acme__people: { cred_id: credId } })).json();
    assert.equal(status.acme__people.message, UNUSABLE, name);
  }
  assert.deepEqual(keysAt("/people"), [], "not one of them reached the vendor, nor did the default in their place");
});

test("a credential is for the contexts that it was stored for", async () => {
  const keys = { prod: secret("prod"), rest: secret("rest") };
  await operator.storeCredential(a, {
    source: "acme__contexts",
    fields: { api_key: keys.rest },
    isDefault: true,
    contexts: ["test", "dev"],
  });
  await operator.storeCredential(a, {
    source: "acme__contexts",
    fields: { api_key: keys.prod },
    isDefault: true,
    contexts: ["prod"],
  });
  for (const [context, key] of [
    ["prod", keys.prod],
    ["test", keys.rest],
    ["dev", keys.rest],
    [undefined, keys.rest],
  ] as const) {
    await service.run({ acme__contexts: true }, {}, { config: context === undefined ? {} : { context } });
    assert.deepEqual(keysAt("/contexts"), [key], context ?? "no context is dev");
  }
});

test("automatic selection takes the newest that is active and allowed in the context", async () => {
  const store = (what: string, contexts: readonly ("prod" | "dev")[] = []) =>
    operator.storeCredential(a, { source: "acme__newest", fields: { api_key: `${what}-${"k".repeat(12)}` }, contexts });
  await store("oldest");
  await new Promise((resolve) => setTimeout(resolve, 2));
  await store("newest-for-dev", ["dev"]);
  await new Promise((resolve) => setTimeout(resolve, 2));
  await store("newest-for-prod", ["prod"]);
  await new Promise((resolve) => setTimeout(resolve, 2));
  await operator.disableCredential(await store("newest-but-disabled"));
  const as = { token: a.token, workflow: automatic };
  for (const [context, what] of [
    ["dev", "newest-for-dev"],
    ["prod", "newest-for-prod"],
    ["test", "oldest"],
  ] as const) {
    await service.run({ acme__newest: true }, {}, { as, config: { context } });
    assert.deepEqual(keysAt("/newest"), [`${what}-${"k".repeat(12)}`]);
  }
});

test("inline values that fit no header, or no schema, fail the source and inject nothing", async () => {
  const strange = ["a\r\nX-Injected: 1", "a\nb", "a\0b", "", "😀 key", "x".repeat(100_000), 5, {}, null, ["k"], true];
  for (const value of strange) {
    const { status } = (await service.run({ acme__people: { credentials: { api_key: value } } })).json();
    assert.equal(status.acme__people.success, false, JSON.stringify(value)?.slice(0, 40));
    assert.match(status.acme__people.message, /^Adapter error: (credential field api_key|the )/);
  }
  assert.ok(vendor.requests.every(({ headers }) => headers["x-injected"] === undefined));
  keysAt("/people");
});

test("a field that the schema does not know is the author's to allow, and a wrong name is a missing field", async () => {
  const { status } = (await service.run({ acme__people: { credentials: { apikey: secret("misspelled") } } })).json();
  assert.equal(status.acme__people.message, "Adapter error: credential field api_key is required");
});

test("a source that takes no credential ignores one, and an optional one may be missing", async () => {
  const sources = { acme__open: { credentials: { api_key: secret("unasked") } }, acme__optional: true };
  const { status, outputs } = (await service.run(sources)).json();
  assert.equal(status.acme__open.success, true);
  assert.deepEqual(outputs.acme__optional, { fields: [] });
  const given = await service.run({ acme__optional: { credentials: { api_key: secret("given") } } });
  assert.deepEqual(given.json().outputs.acme__optional, { fields: ["api_key"] });
});

test("which credential was taken, and why, stands on the ledger and not in the answer", async () => {
  const credId = await operator.storeCredential(a, { source: "bell__phone", fields: { api_key: secret("phone") } });
  const reply = await service.run({ bell__phone: { cred_id: credId } });
  const row = service.ledgerRows(reply.json().transaction_id);
  assert.deepEqual([row.calls[0]!["credential_id"], row.calls[0]!["credential_rule"]], [credId, "named"]);
  assert.deepEqual(reply.json().config.sources.bell__phone, { cred_id: credId });
});

test("credentials are stored sealed, and belong to their organization alone", async () => {
  const key = secret("sealed");
  await operator.storeCredential(b, { source: "bell__phone", fields: { api_key: key }, isDefault: true });
  await service.run({ bell__phone: true }, {}, { as: b });
  assert.deepEqual(keysAt("/phone").at(-1), key);
  // That no file holds it in clear is checked when the service has ended.
  const { status } = (await service.run({ bell__phone: true })).json();
  assert.equal(status.bell__phone.success, false, "A has no default of its own");
});
