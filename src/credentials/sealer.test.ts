import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import { Secret } from "../terms/secret.ts";
import { MemoryStore } from "./memory-store.kit.ts";
import type { SealedCredential, WrappedKey } from "./ports.ts";
import { formatRootKey } from "./root-key.ts";
import { openRootKeys } from "./root-keys.kit.ts";
import type { NamedKey } from "./seal.ts";
import { createSealer } from "./sealer.ts";

const ROOT: NamedKey = { id: "k1", bytes: randomBytes(32) };
const PLACE = { id: "cred_1", organizationId: "org_1", source: "acme__people", version: 1 };
const FIELDS = { api_key: "CANARY" };

async function rig(store = new MemoryStore(), roots: readonly NamedKey[] = [ROOT]) {
  const rootKeys = await openRootKeys({ variable: roots.map(formatRootKey).join(","), directory: null, store });
  const sealer = createSealer({ store, rootKeys, clock: new FakeClock() });
  return { store, sealer, rootKeys };
}

function rowOf(place: typeof PLACE, sealed: { readonly keyId: string; readonly sealed: string }): SealedCredential {
  return { ...place, contexts: [], regions: [], isDefault: false, disabled: false, createdWallAt: 1, ...sealed };
}

function reasonOf(thrown: unknown): unknown {
  assert.ok(thrown instanceof Fault);
  assert.equal(thrown.code, "source.credential_missing");
  return thrown.detail["reason"];
}

test("what one process sealed, another opens", async () => {
  const { store, sealer } = await rig();
  const row = rowOf(PLACE, await sealer.seal(PLACE, new Secret(FIELDS)));
  const other = await rig(store);
  assert.deepEqual((await other.sealer.open(row)).reveal(), FIELDS);
});

test("an organization has one data key, made with its first credential and not shared with others", async () => {
  const { store, sealer } = await rig();
  const first = await sealer.seal(PLACE, new Secret(FIELDS));
  const second = await sealer.seal({ ...PLACE, id: "cred_2" }, new Secret(FIELDS));
  const others = await sealer.seal({ ...PLACE, organizationId: "org_2" }, new Secret(FIELDS));
  assert.equal(second.keyId, first.keyId);
  assert.notEqual(others.keyId, first.keyId);
  assert.equal(store.keys.size, 2);
});

test("no stored row shows a field or a key", async () => {
  const { store, sealer } = await rig();
  const sealed = await sealer.seal(PLACE, new Secret(FIELDS));
  const stored = JSON.stringify([sealed, ...store.keys.values()]);
  const dataKey = await sealer.dataKey(sealed.keyId, "org_1");
  for (const encoding of ["base64", "hex", "base64url"] as const) {
    for (const secret of [Buffer.from("CANARY"), ROOT.bytes, dataKey.bytes]) {
      assert.ok(!stored.includes(secret.toString(encoding).replace(/=+$/, "")));
    }
  }
});

test("a row that was altered or moved fails closed with its reason in the log", async () => {
  const { sealer } = await rig();
  const row = rowOf(PLACE, await sealer.seal(PLACE, new Secret(FIELDS)));
  const wrong: readonly [SealedCredential, string][] = [
    [{ ...row, id: "cred_2" }, "altered"],
    [{ ...row, source: "bell__phone" }, "altered"],
    [{ ...row, version: 2 }, "altered"],
    [{ ...row, organizationId: "org_2" }, "data_key_missing"],
    [{ ...row, keyId: "key_x" }, "data_key_missing"],
    [{ ...row, keyId: "__proto__" }, "data_key_missing"],
  ];
  for (const [altered, reason] of wrong) {
    await assert.rejects(sealer.open(altered), (thrown) => reasonOf(thrown) === reason);
  }
});

test("a row moved with its data key to another organization still does not open", async () => {
  const { store, sealer } = await rig();
  const row = rowOf(PLACE, await sealer.seal(PLACE, new Secret(FIELDS)));
  store.keys.set(row.keyId, { ...store.keys.get(row.keyId)!, organizationId: "org_2" });
  const fresh = await rig(store, [ROOT]).catch(() => null);
  assert.equal(fresh, null, "its start is refused, that key being all there is");
  await sealer.seal({ ...PLACE, organizationId: "org_3" }, new Secret(FIELDS));
  const { sealer: another } = await rig(store);
  await assert.rejects(
    another.open({ ...row, organizationId: "org_2" }),
    (thrown) => reasonOf(thrown) === "data_key_altered",
  );
});

test("if a data key's root key is missing, the failure says so", async () => {
  const { store, sealer } = await rig();
  const row = rowOf(PLACE, await sealer.seal(PLACE, new Secret(FIELDS)));
  const { sealer: other } = await rig(new MemoryStore(), [{ id: "k2", bytes: randomBytes(32) }]);
  const wrapped = store.keys.get(row.keyId)!;
  assert.throws(
    () => other.unwrap(wrapped),
    (thrown) => reasonOf(thrown) === "root_key_missing",
  );
});

test("a store that does not answer is not a bad credential", async () => {
  const { store, sealer } = await rig();
  const row = rowOf(PLACE, await sealer.seal(PLACE, new Secret(FIELDS)));
  const { sealer: other } = await rig(store);
  store.mode = "fails";
  await assert.rejects(other.open(row), /connection refused/);
});

test("a data key is wrapped with the newest root key that exists, not the newest that was known", async () => {
  const { store } = await rig();
  const newer: NamedKey = { id: "k2", bytes: randomBytes(32) };
  const added: string[] = [];
  let current = ROOT;
  const rootKeys = {
    files: null,
    all: () => [current],
    find: () => current,
    current: () => current,
    reload() {
      current = newer;
    },
  };
  const watched = {
    dataKey: (keyId: string) => store.dataKey(keyId),
    currentDataKey: (organizationId: string) => store.currentDataKey(organizationId),
    rewrapDataKey: (from: string, to: WrappedKey) => store.rewrapDataKey(from, to),
    async addDataKey(key: WrappedKey) {
      added.push(key.rootKeyId);
    },
  };
  await createSealer({ store: watched, rootKeys, clock: new FakeClock() }).makeDataKey("org_1");
  assert.deepEqual(added, ["k2"]);
});

test("a data key made while the root key is replaced ends up under the newer one", async () => {
  const { store } = await rig();
  const newer: NamedKey = { id: "k2", bytes: randomBytes(32) };
  let current = ROOT;
  const rootKeys = {
    files: null,
    all: () => [current],
    find: (id: string) => [ROOT, newer].find((key) => key.id === id),
    current: () => current,
    reload() {},
  };
  const replacing = {
    dataKey: (keyId: string) => store.dataKey(keyId),
    currentDataKey: (organizationId: string) => store.currentDataKey(organizationId),
    rewrapDataKey: (from: string, to: WrappedKey) => store.rewrapDataKey(from, to),
    async addDataKey(key: WrappedKey) {
      await store.addDataKey(key);
      current = newer;
    },
  };
  const sealer = createSealer({ store: replacing, rootKeys, clock: new FakeClock() });
  const row = rowOf(PLACE, await sealer.seal(PLACE, new Secret(FIELDS)));
  assert.equal(store.keys.get(row.keyId)?.rootKeyId, "k2");
  const { sealer: later } = await rig(store, [newer]);
  assert.deepEqual((await later.open(row)).reveal(), FIELDS);
});
