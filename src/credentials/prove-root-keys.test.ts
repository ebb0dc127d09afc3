import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { MemoryStore } from "./memory-store.kit.ts";
import { proveRootKeys } from "./prove-root-keys.ts";
import { formatRootKey } from "./root-key.ts";
import { readRootKeys } from "./root-key-ring.ts";
import { proofOf, wrapDataKey, type NamedKey } from "./seal.ts";

const keyNamed = (id: string): NamedKey => ({ id, bytes: randomBytes(32) });

async function standing(store: MemoryStore, ...given: readonly NamedKey[]) {
  const variable = given.map(formatRootKey).join(",");
  return proveRootKeys(await readRootKeys({ variable, directory: null, store }), store);
}

async function wrappedBy(...rootKeys: readonly NamedKey[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  for (const [at, rootKey] of rootKeys.entries()) {
    await store.addDataKey(wrapDataKey(rootKey, keyNamed(`key_${at}`), `org_${at}`));
  }
  return store;
}

test("one root key that opens is enough, and data keys that others wrap are counted", async () => {
  const [ours, stray, ours2] = [keyNamed("ours"), keyNamed("stray"), keyNamed("ours")];
  const store = await wrappedBy(ours, stray, ours, stray);
  assert.deepEqual(await standing(store, ours), { dataKeys: 4, unreadable: 2, lacking: ["stray"], settled: true });
  assert.deepEqual(await standing(store, ours, stray), { dataKeys: 4, unreadable: 0, lacking: [], settled: true });
  await assert.rejects(standing(store, keyNamed("third")), /does not hold any of the root keys ours, stray/);
  await assert.rejects(standing(store, ours2), /does not hold the root key stray/);
});

test("an altered data key is counted as unreadable, and its root key is not reported as missing", async () => {
  const ours = keyNamed("ours");
  const store = await wrappedBy(ours, ours);
  store.keys.set("key_1", { ...store.keys.get("key_1")!, organizationId: "org_7" });
  assert.deepEqual(await standing(store, ours), { dataKeys: 2, unreadable: 1, lacking: [], settled: true });
});

test("a store in which nothing is sealed accepts only the registered key, proven by what it opens", async () => {
  const [ours, other] = [keyNamed("ours"), keyNamed("other")];
  const store = new MemoryStore();
  assert.deepEqual(await standing(store, other), { dataKeys: 0, unreadable: 0, lacking: [], settled: false });
  store.registered = { id: ours.id, proof: proofOf(ours) };
  assert.equal((await standing(store, ours)).settled, true);
  assert.equal((await standing(store, other, ours)).settled, true, "before a rotation both are given");
  for (const wrong of [other, keyNamed("ours")])
    await assert.rejects(standing(store, wrong), /registered for this store.*keys adopt/);
});
