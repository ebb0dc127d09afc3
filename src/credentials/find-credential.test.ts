import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";
import * as fc from "fast-check";
import type { CredentialRequest, RunReport } from "../run/ports.ts";
import { CONTEXTS } from "../terms/caller.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { Secret } from "../terms/secret.ts";
import { BilledCalls } from "./billed-calls.ts";
import { markReferences } from "./references/marked-fields.ts";
import { SecretReferences } from "./references/secret-references.ts";
import { createCredentialFinder } from "./find-credential.ts";
import { MemoryStore } from "./memory-store.kit.ts";
import type { SealedCredential } from "./ports.ts";
import { formatRootKey } from "./root-key.ts";
import { openRootKeys } from "./root-keys.kit.ts";
import { createSealer } from "./sealer.ts";

const ASK: CredentialRequest = {
  organizationId: "org_a",
  source: "acme__people",
  context: "prod",
  region: "eu",
  inline: undefined,
  credentialId: undefined,
  autoSelect: false,
};

async function rig() {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const variable = formatRootKey({ id: "k1", bytes: randomBytes(32) });
  const sealer = createSealer({ store, rootKeys: await openRootKeys({ variable, directory: null, store }), clock });
  const finder = createCredentialFinder({
    store,
    sealer,
    billedCalls: new BilledCalls({ counts: store, clock }),
    clock,
  });
  async function put(id: string, fields: JsonObject, more: Partial<SealedCredential> = {}): Promise<void> {
    const place = { id, organizationId: "org_a", source: "acme__people", version: 1, ...more };
    const sealed = await sealer.seal(place, new Secret(fields));
    const flags = { contexts: [], regions: [], isDefault: false, disabled: false, createdWallAt: store.rows.size };
    store.put({ ...flags, ...place, ...sealed, ...more });
  }
  async function refusal(request: Partial<CredentialRequest>): Promise<Fault> {
    try {
      await finder.find({ ...ASK, ...request });
    } catch (thrown) {
      assert.ok(thrown instanceof Fault, inspect(thrown));
      return thrown;
    }
    return assert.fail("a credential was found");
  }
  return { clock, store, sealer, finder, put, refusal };
}

test("inline fields are found without a look-up, even while the store is down", async () => {
  const { finder, store } = await rig();
  store.mode = "fails";
  const found = await finder.find({ ...ASK, inline: { api_key: "mine" }, credentialId: "cred_x" });
  assert.ok(found !== null);
  assert.equal(found.rule, "inline");
  assert.equal(found.credentialId, null);
  assert.deepEqual(found.fields.reveal(), { api_key: "mine" });
  assert.equal(store.lookups, 0);
});

test("a stored credential is opened once and then read from memory", async () => {
  const { finder, store, put } = await rig();
  await put("cred_d", { api_key: "stored" }, { isDefault: true });
  const first = await finder.find(ASK);
  assert.deepEqual(first?.fields.reveal(), { api_key: "stored" });
  assert.equal(first.credentialId, "cred_d");
  assert.equal(first.rule, "default");
  const second = await finder.find(ASK);
  assert.equal(second?.fields, first.fields);
  assert.equal(store.lookups, 1);
});

test("no credential is found if no rule applies, and that is cached too", async () => {
  const { finder, store, put } = await rig();
  await put("cred_a", {});
  assert.equal(await finder.find(ASK), null);
  assert.equal(await finder.find(ASK), null);
  assert.equal(store.lookups, 1);
});

test("auto-selection takes the newest", async () => {
  const { finder, put } = await rig();
  await put("cred_old", { n: 1 }, { createdWallAt: 1, isDefault: true });
  await put("cred_new", { n: 2 }, { createdWallAt: 2 });
  assert.equal((await finder.find({ ...ASK, autoSelect: true }))?.credentialId, "cred_new");
});

test("a cred_id that cannot be used gives the same error for every cause, and never another credential", async () => {
  const { put, refusal, store } = await rig();
  await put("cred_default", {}, { isDefault: true });
  await put("cred_foreign", {}, { organizationId: "org_b" });
  await put("cred_other_source", {}, { source: "bell__phone" });
  await put("cred_off", {}, { disabled: true });
  await put("cred_dev", {}, { contexts: ["dev"] });
  await put("cred_altered", {});
  store.put({ ...store.rows.get("cred_altered")!, version: 2 });
  const ids = [
    "cred_x",
    "cred_foreign",
    "cred_other_source",
    "cred_off",
    "cred_dev",
    "cred_altered",
    "",
    "\0",
    "__proto__",
    "é".repeat(9_999),
  ];
  for (const credentialId of ids) {
    for (const autoSelect of [true, false]) {
      const fault = await refusal({ credentialId, autoSelect });
      assert.equal(fault.code, "source.credential_missing");
      assert.equal(fault.says, "Adapter error: the credential named by cred_id cannot be used", credentialId);
    }
  }
});

test("an unknown cred_id and one of another organization are looked up at exactly the same times", async () => {
  const patterns = await Promise.all(
    ["cred_x", "cred_foreign"].map(async (credentialId) => {
      const { put, refusal, finder, store, clock } = await rig();
      await put("cred_foreign", {}, { organizationId: "org_b" });
      await finder.find({ ...ASK, organizationId: "org_b", credentialId: "cred_foreign" });
      const lookups: number[] = [];
      for (let use = 0; use < 10; use += 1) {
        await refusal({ credentialId });
        lookups.push(store.lookups);
        await clock.advance(20_000);
      }
      return lookups;
    }),
  );
  assert.deepEqual(patterns[1], patterns[0]);
});

test("an altered newest or default credential fails, and no older one is billed instead", async () => {
  const { put, refusal, store } = await rig();
  await put("cred_old", {}, { createdWallAt: 1 });
  await put("cred_new", {}, { createdWallAt: 2, isDefault: true });
  store.put({ ...store.rows.get("cred_new")!, sealed: store.rows.get("cred_old")!.sealed });
  for (const autoSelect of [true, false]) {
    const fault = await refusal({ autoSelect });
    assert.equal(fault.says, "Adapter error: the stored credential of this source cannot be used");
    assert.equal(fault.detail["reason"], "altered");
  }
});

test("a credential whose key is missing does not affect others", async () => {
  const { put, finder, store, refusal } = await rig();
  await put("cred_good", { ok: true }, { createdWallAt: 1 });
  await put("cred_bad", {}, { createdWallAt: 2 });
  store.put({ ...store.rows.get("cred_bad")!, keyId: "key_gone" });
  assert.deepEqual((await finder.find({ ...ASK, credentialId: "cred_good" }))?.fields.reveal(), { ok: true });
  assert.equal((await refusal({ credentialId: "cred_bad" })).detail["reason"], "data_key_missing");
});

test("a changed credential is used by the next call, with its own scope", async () => {
  const { finder, put } = await rig();
  await put("cred_d", { api_key: "1" }, { isDefault: true });
  const before = await finder.find(ASK);
  await put("cred_d", { api_key: "2" }, { isDefault: true, version: 2 });
  const after = await finder.find(ASK);
  assert.deepEqual(after?.fields.reveal(), { api_key: "2" });
  assert.notEqual(after.scope, before?.scope);
});

test("a change that was not announced is seen within a minute", async () => {
  const { finder, put, store, clock } = await rig();
  await put("cred_d", {}, { isDefault: true });
  await finder.find(ASK);
  store.rows.clear();
  await clock.advance(60_000);
  assert.equal(await finder.find(ASK), null);
});

for (const mode of ["fails", "hangs"] as const) {
  test(`while the store ${mode}, resolved credentials work for five minutes and others fail as what may be tried again`, async () => {
    const { finder, put, store, clock, refusal } = await rig();
    await put("cred_d", { api_key: "stored" }, { isDefault: true });
    await finder.find(ASK);
    store.mode = mode;
    const unseen = refusal({ source: "bell__phone" });
    await clock.advance(500);
    const fault = await unseen;
    assert.equal(fault.code, "source.credential_unavailable");
    assert.equal(fault.row.retryable, true);
    assert.doesNotMatch(fault.says, /10\.0\.0\.1/);
    for (let seconds = 0; seconds < 270; seconds += 30) {
      const found = finder.find(ASK);
      await clock.advance(1_500);
      assert.deepEqual((await found)?.fields.reveal(), { api_key: "stored" });
      await clock.advance(28_500);
    }
    await clock.advance(60_000);
    const late = refusal({});
    await clock.advance(500);
    assert.equal((await late).code, "source.credential_unavailable");
  });
}

test("the absence of credentials is cached as long, so that sources that need none keep working", async () => {
  const { finder, store, clock } = await rig();
  assert.equal(await finder.find(ASK), null);
  store.mode = "fails";
  await clock.advance(120_000);
  assert.equal(await finder.find(ASK), null);
});

test("calls that start together share one look-up", async () => {
  const { finder, put, store } = await rig();
  await put("cred_d", {}, { isDefault: true });
  await Promise.all(Array.from({ length: 20 }, async () => finder.find(ASK)));
  assert.equal(store.lookups, 1);
});

test("scopes distinguish organizations and contents, and reveal neither", async () => {
  const { finder } = await rig();
  const anyFields = fc.dictionary(fc.string(), fc.string(), { minKeys: 1 });
  const seen = new Map<string | null, string>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("org_a", "org_b"), anyFields, async (organizationId, inline) => {
      const ask = { ...ASK, organizationId, inline };
      const scope = (await finder.find(ask))!.scope;
      const content = JSON.stringify([organizationId, inline]);
      assert.equal((await finder.find({ ...ask, inline: { ...inline } }))!.scope, scope);
      assert.equal(seen.get(scope) ?? content, content);
      seen.set(scope, content);
    }),
  );
  const canary = await finder.find({ ...ASK, inline: { api_key: "CANARY" } });
  assert.doesNotMatch(inspect(canary, { depth: 9 }) + JSON.stringify(canary), /CANARY/);
});

test("two processes name the same inline credential differently, so that a scope cannot be guessed", async () => {
  const ask = { ...ASK, inline: { api_key: "x" } };
  const [one, other] = [await rig(), await rig()];
  assert.notEqual((await one.finder.find(ask))?.scope, (await other.finder.find(ask))?.scope);
});

test("explain lists every rule with its reason", async () => {
  const { finder, put } = await rig();
  await put("cred_d", {}, { isDefault: true });
  const explanation = await finder.explain(ASK);
  assert.deepEqual(explanation, {
    rule: "default",
    credentialId: "cred_d",
    usable: true,
    references: [],
    steps: [
      {
        rule: "inline",
        verdict: "passes",
        reason: "the source entry carries no credential fields",
        credentialId: null,
      },
      { rule: "named", verdict: "passes", reason: "no cred_id was given", credentialId: null },
      {
        rule: "auto",
        verdict: "passes",
        reason: "the workflow does not select credentials by itself",
        credentialId: null,
      },
      {
        rule: "default",
        verdict: "takes",
        reason: "it is the organization's default for this source and context",
        credentialId: "cred_d",
      },
    ],
  });
});

test("explain says which rules were not reached, and why a chosen credential cannot be used", async () => {
  const { finder, put, store } = await rig();
  await put("cred_d", {});
  store.put({ ...store.rows.get("cred_d")!, version: 9 });
  const { usable, steps } = await finder.explain({ ...ASK, credentialId: "cred_d" });
  assert.equal(usable, false);
  assert.deepEqual(
    steps.map((step) => step.verdict),
    ["passes", "refuses", "not reached", "not reached"],
  );
  assert.equal(steps[1]?.reason, "cred_id names it, but it cannot be opened: altered");
});

test("explain and find always agree", async () => {
  const anyRow = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    disabled: fc.boolean(),
    isDefault: fc.boolean(),
    contexts: fc.uniqueArray(fc.constantFrom(...CONTEXTS)),
    broken: fc.boolean(),
  });
  const anyRequest = fc.record({
    context: fc.constantFrom(...CONTEXTS),
    inline: fc.constantFrom(undefined, {}, { api_key: "x" }),
    credentialId: fc.constantFrom(undefined, "a", "b", "x"),
    autoSelect: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(anyRequest, fc.uniqueArray(anyRow, { selector: ({ id }) => id }), async (asked, rows) => {
      const { finder, put, store } = await rig();
      for (const { id, broken, ...more } of rows) {
        await put(id, { id }, more);
        if (broken) store.put({ ...store.rows.get(id)!, version: 7 });
      }
      const request = { ...ASK, ...asked };
      const explanation = await finder.explain(request);
      let found;
      try {
        found = await finder.find(request);
      } catch (thrown) {
        assert.ok(thrown instanceof Fault);
        assert.equal(explanation.usable, false);
        assert.equal(explanation.steps.filter((step) => step.verdict === "refuses").length, 1);
        return;
      }
      assert.equal(explanation.rule, found?.rule ?? "none");
      assert.equal(explanation.credentialId, found?.credentialId ?? null);
      assert.equal(explanation.usable, found !== null);
      assert.equal(explanation.steps.find((step) => step.verdict === "takes")?.rule, found?.rule);
    }),
    { numRuns: 200 },
  );
});

test("a credential has its own prices in memory, and a changed price holds from the next look-up", async () => {
  const { finder, store, put } = await rig();
  await put("cred_d", { api_key: "stored" }, { isDefault: true });
  await put("cred_n", { api_key: "named" });
  const term = { amount: 350_000n, currency: "EUR", fromWallAt: 100, above: 0, per: null, timeZone: "UTC" };
  store.setPrices("cred_d", [term]);
  const found = await finder.find(ASK);
  assert.equal(found?.prices?.at(99), null);
  assert.equal(found?.prices?.at(100), term);
  const named = await finder.find({ ...ASK, credentialId: "cred_n" });
  assert.equal(named?.prices, null);
  assert.equal((await finder.find({ ...ASK, inline: { api_key: "mine" } }))?.prices, null);
  store.setPrices("cred_d", [{ ...term, amount: 1n }]);
  assert.equal((await finder.find(ASK))?.prices?.at(100)?.amount, 1n);
});

test("a credential whose field is kept elsewhere is read again after a vendor has rejected it, in another scope", async () => {
  const { clock, store, sealer } = await rig();
  let [kept, reads] = ["1", 0];
  const read = async () => {
    reads += 1;
    return kept;
  };
  const finder = createCredentialFinder({
    store,
    sealer,
    billedCalls: new BilledCalls({ counts: store, clock }),
    references: new SecretReferences({ clock, ttlMs: 3_600_000, read }),
    clock,
  });
  const place = { id: "cred_k", organizationId: "org_a", source: "acme__people", version: 1 };
  const fields = markReferences({ user: "u" }, { api_key: "vault://kv/acme#key" });
  const sealed = await sealer.seal(place, new Secret(fields));
  store.put({ ...place, ...sealed, contexts: [], regions: [], isDefault: true, disabled: false, createdWallAt: 0 });
  const first = await finder.find(ASK);
  assert.deepEqual(first?.fields.reveal(), { user: "u", api_key: "1" });
  kept = "2";
  await clock.advance(10_000);
  assert.equal((await finder.find(ASK))?.fields, first?.fields);
  const rejected = { credentialId: "cred_k", fault: new Fault("source.credential_rejected") };
  finder.runEnded({ calls: [rejected] } as unknown as RunReport);
  const second = await finder.find(ASK);
  assert.deepEqual([second?.fields.reveal(), reads], [{ user: "u", api_key: "2" }, 2]);
  assert.notEqual(second?.scope, first?.scope);
  const inline = { api_key: { $datarun_reference: "vault://kv/acme#key" } };
  assert.deepEqual((await finder.find({ ...ASK, inline }))?.fields.reveal(), inline);
});
