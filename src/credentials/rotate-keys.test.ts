import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { CredentialRequest } from "../run/ports.ts";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { Secret } from "../terms/secret.ts";
import { BilledCalls } from "./billed-calls.ts";
import { createCredentialFinder } from "./find-credential.ts";
import { MemoryStore } from "./memory-store.kit.ts";
import type { KeyStore } from "./ports.ts";
import { formatRootKey, RootKeyError } from "./root-key.ts";
import { openRootKeys } from "./root-keys.kit.ts";
import { rotateKeys, type RotationParts, type RotationProgress } from "./rotate-keys.ts";
import { wrapDataKey } from "./seal.ts";
import { createSealer } from "./sealer.ts";
import { removeOldRootKeys, verifyKeys } from "./verify-keys.ts";

const ORGANIZATIONS = ["org_1", "org_2", "org_3"];

/** One process on a store, with its own key ring and its own caches. */
async function startProcess(
  store: MemoryStore,
  keys: { readonly directory: string | null; readonly variable?: string },
) {
  const clock = new FakeClock();
  const rootKeys = await openRootKeys({ variable: keys.variable, directory: keys.directory, store });
  const sealer = createSealer({ store, rootKeys, clock });
  return {
    store,
    rootKeys,
    sealer,
    clock,
    finder: createCredentialFinder({ store, sealer, billedCalls: new BilledCalls({ counts: store, clock }), clock }),
  };
}

async function embedded(t: TestContext, credentials = 5) {
  const directory = mkdtempSync(join(tmpdir(), "rotate-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const store = new MemoryStore();
  const service = await startProcess(store, { directory });
  for (const organizationId of ORGANIZATIONS) {
    for (let index = 0; index < credentials; index += 1)
      await create(service, organizationId, `cred_${organizationId}_${index}`);
  }
  return { directory, store, service };
}

async function create(by: Awaited<ReturnType<typeof startProcess>>, organizationId: string, id: string): Promise<void> {
  const place = { id, organizationId, source: "acme__people", version: 1 };
  const sealed = await by.sealer.seal(place, new Secret({ id }));
  by.store.put({
    ...place,
    ...sealed,
    contexts: [],
    regions: [],
    isDefault: true,
    disabled: false,
    createdWallAt: by.store.rows.size,
  });
}

function ask(organizationId: string, credentialId: string): CredentialRequest {
  return {
    organizationId,
    source: "acme__people",
    context: "prod",
    region: "eu",
    inline: undefined,
    credentialId,
    autoSelect: false,
  };
}

/** The same store with some methods replaced. */
function through(store: MemoryStore, instead: Partial<KeyStore>): RotationParts["store"] {
  return {
    dataKey: (id) => store.dataKey(id),
    currentDataKey: (organizationId) => store.currentDataKey(organizationId),
    addDataKey: (key) => store.addDataKey(key),
    rootKeyIdsInUse: () => store.rootKeyIdsInUse(),
    registeredRootKey: () => store.registeredRootKey(),
    dataKeysAfter: (id, limit) => store.dataKeysAfter(id, limit),
    rewrapDataKey: (from, to) => store.rewrapDataKey(from, to),
    sealedCredentialsAfter: (id, limit) => store.sealedCredentialsAfter(id, limit),
    resealCredential: (from, to) => store.resealCredential(from, to),
    ...instead,
  };
}

async function assertEveryRowOpens(by: Awaited<ReturnType<typeof startProcess>>): Promise<void> {
  for (const row of by.store.rows.values()) assert.deepEqual((await by.sealer.open(row)).reveal(), { id: row.id });
}

for (const newDataKeys of [false, true]) {
  test(`rotation ${newDataKeys ? "with" : "without"} new data keys leaves nothing on the old root key, which can then go`, async (t) => {
    const { directory, store, service } = await embedded(t);
    const oldRoot = service.rootKeys.current().id;
    const oldDataKeys = new Set(store.keys.keys());
    const verb = await startProcess(store, { directory });
    const progress: RotationProgress[] = [];
    const report = await rotateKeys(verb, { newDataKeys, batchSize: 2, onProgress: (done) => progress.push(done) });

    assert.equal(report.createdRootKey, true);
    assert.notEqual(report.rootKeyId, oldRoot);
    assert.equal(report.dataKeysRewrapped, ORGANIZATIONS.length);
    assert.equal(report.dataKeysCreated, newDataKeys ? ORGANIZATIONS.length : 0);
    assert.equal(report.credentialsResealed, newDataKeys ? store.rows.size : 0);
    assert.deepEqual(report.unreadable, []);
    assert.equal(progress.length, report.dataKeysRewrapped + report.credentialsResealed);
    for (const row of store.rows.values()) assert.equal(oldDataKeys.has(row.keyId), !newDataKeys);

    const verified = await verifyKeys(verb, 2);
    assert.deepEqual([...verified.rootKeysInUse.keys()], [report.rootKeyId]);
    assert.equal(verified.credentials, store.rows.size);
    assert.deepEqual(verified.removable, [oldRoot]);
    assert.deepEqual(await removeOldRootKeys(verb), [oldRoot]);
    assert.deepEqual(readdirSync(directory), ["root-2.key"]);
    await assertEveryRowOpens(await startProcess(store, { directory }));
  });
}

test("a service under load loses no run while keys are rotated, and needs no restart when the old one is gone", async (t) => {
  const { directory, store, service } = await embedded(t);
  const verb = await startProcess(store, { directory });
  let failed = 0;
  let runs = 0;
  const load = { on: true };
  const running = (async () => {
    while (load.on) {
      for (const row of store.rows.values()) {
        runs += 1;
        const found = await service.finder.find(ask(row.organizationId, row.id));
        if (found?.fields.reveal()["id"] !== row.id) failed += 1;
      }
      await settle();
    }
  })();
  for (let round = 0; round < 3; round += 1) {
    await rotateKeys(verb, { newDataKeys: true, batchSize: 3, onProgress: () => void settle() });
    await create(service, `org_new_${round}`, `cred_new_${round}`);
    await removeOldRootKeys(verb);
    await settle();
  }
  load.on = false;
  await running;
  assert.equal(failed, 0);
  assert.ok(runs > 50);
  await assertEveryRowOpens(await startProcess(store, { directory }));
});

test("a service that has not seen the new root key makes no data key under the old one", async (t) => {
  const { directory, store, service } = await embedded(t, 1);
  const verb = await startProcess(store, { directory });
  await rotateKeys(verb, { newDataKeys: false });
  await create(service, "org_late", "cred_late");
  await removeOldRootKeys(verb);
  await assertEveryRowOpens(await startProcess(store, { directory }));
});

test("no root key is removed before it was recorded which", async (t) => {
  const { directory, store } = await embedded(t, 1);
  const verb = await startProcess(store, { directory });
  const old = verb.rootKeys.current().id;
  await rotateKeys(verb, { newDataKeys: false });
  const told: string[] = [];
  const unrecorded = removeOldRootKeys(verb, async (ids) => {
    told.push(...ids);
    throw new RangeError("it cannot be recorded");
  });
  await assert.rejects(unrecorded, /cannot be recorded/);
  assert.deepEqual(told, [old]);
  assert.equal(readdirSync(directory).length, 2);
});

test("a rotation reports its progress and yields to the event loop: a signal that ends it must be noticed", async (t) => {
  const { directory, store } = await embedded(t);
  const verb = await startProcess(store, { directory });
  const seen: RotationProgress[] = [];
  let turns = 0;
  await rotateKeys(verb, {
    newDataKeys: true,
    onProgress: (progress) => {
      if (seen.length > 0) assert.equal(turns, seen.length);
      seen.push(progress);
      setImmediate(() => (turns += 1));
    },
  });
  assert.deepEqual(seen.at(-1), { step: "credentials sealed", done: 15, of: 15 });
  assert.deepEqual(seen[0], { step: "data keys wrapped", done: 1, of: 3 });
});

test("an interrupted rotation is resumed with the root key that it had made", async (t) => {
  const { directory, store } = await embedded(t);
  const verb = await startProcess(store, { directory });
  let changes = 0;
  const breaking = through(store, {
    async rewrapDataKey(from, to) {
      if ((changes += 1) > 1) throw new Error("connection lost");
      return store.rewrapDataKey(from, to);
    },
  });
  await assert.rejects(rotateKeys({ ...verb, store: breaking }, { newDataKeys: false }), /connection lost/);
  assert.deepEqual((await verifyKeys(verb)).removable, [], "the old key is still needed");
  await removeOldRootKeys(verb);
  await assertEveryRowOpens(await startProcess(store, { directory }));

  const report = await rotateKeys(await startProcess(store, { directory }), { newDataKeys: false });
  assert.equal(report.createdRootKey, false);
  assert.equal(report.dataKeysRewrapped, ORGANIZATIONS.length - 1);
  assert.equal(readdirSync(directory).length, 2);
});

test("a data key that comes under the old root key while a rotation passes it is wrapped in its next pass", async (t) => {
  const { directory, store } = await embedded(t, 1);
  const verb = await startProcess(store, { directory });
  const old = verb.rootKeys.current();
  // Its id sorts before the ids that have been read by then.
  const late = wrapDataKey(old, { id: "key_0", bytes: randomBytes(32) }, "org_late");
  let isThere = false;
  const changing = through(store, {
    async rewrapDataKey(from, to) {
      if (!isThere) await store.addDataKey(late);
      isThere = true;
      return store.rewrapDataKey(from, to);
    },
  });
  const report = await rotateKeys({ ...verb, store: changing }, { newDataKeys: false });
  assert.equal(report.dataKeysRewrapped, ORGANIZATIONS.length + 1);
  assert.deepEqual((await verifyKeys(verb)).removable, [old.id]);
});

test("two rotations at once make one root key, end on it and lose nothing", async (t) => {
  const { directory, store } = await embedded(t);
  const [one, other] = [await startProcess(store, { directory }), await startProcess(store, { directory })];
  const reports = await Promise.all([one, other].map((verb) => rotateKeys(verb, { newDataKeys: true, batchSize: 1 })));
  assert.equal(reports.filter(({ createdRootKey }) => createdRootKey).length, 1);
  assert.equal(reports[0]!.rootKeyId, reports[1]!.rootKeyId);
  assert.deepEqual(readdirSync(directory).sort(), ["root-1.key", "root-2.key"]);
  const verified = await verifyKeys(await startProcess(store, { directory }));
  assert.deepEqual(verified.unreadable, []);
  assert.equal(verified.rootKeysInUse.size, 1);
  await assertEveryRowOpens(await startProcess(store, { directory }));
});

test("a credential that is changed while it is resealed keeps its new content", async (t) => {
  const { directory, store, service } = await embedded(t, 1);
  const verb = await startProcess(store, { directory });
  const id = "cred_org_1_0";
  const racing = through(store, {
    async resealCredential(from, to) {
      if (from.id === id && from.version === 1) {
        const place = { ...from, version: 2 };
        store.put({ ...place, ...(await service.sealer.seal(place, new Secret({ changed: true }))) });
      }
      return store.resealCredential(from, to);
    },
  });
  await rotateKeys({ ...verb, store: racing }, { newDataKeys: true });
  assert.deepEqual((await verb.sealer.open(store.rows.get(id)!)).reveal(), { changed: true });
});

test("rows that cannot be opened are reported, left unchanged, and no root key is removable", async (t) => {
  const { directory, store } = await embedded(t);
  const broken = { ...store.rows.get("cred_org_1_2")!, version: 9 };
  store.put(broken);
  const verb = await startProcess(store, { directory });
  const report = await rotateKeys(verb, { newDataKeys: true });
  assert.deepEqual(report.unreadable, [{ id: "cred_org_1_2", organizationId: "org_1", reason: "altered" }]);
  assert.equal(report.credentialsResealed, store.rows.size - 1);
  assert.deepEqual(store.rows.get("cred_org_1_2"), broken);
  assert.deepEqual((await verifyKeys(verb)).removable, []);
  await assert.rejects(removeOldRootKeys(verb), RootKeyError);
  assert.equal(readdirSync(directory).length, 2);
});

test("with DATARUN_ROOT_KEY the operator decides which key is current, and a sequence of starts loses nothing", async () => {
  const store = new MemoryStore();
  const [older, newer] = ["old", "new"].map((id) => formatRootKey({ id, bytes: randomBytes(32) }));
  const before = await startProcess(store, { directory: null, variable: older! });
  await create(before, "org_1", "cred_1");
  const reading = await startProcess(store, { directory: null, variable: `${older},${newer}` });
  const verb = await startProcess(store, { directory: null, variable: `${newer},${older}` });
  const report = await rotateKeys(verb, { newDataKeys: false });
  assert.deepEqual([report.createdRootKey, report.rootKeyId, report.dataKeysRewrapped], [false, "new", 1]);
  assert.deepEqual((await verifyKeys(verb)).removable, ["old"]);
  await assertEveryRowOpens(reading);
  await assertEveryRowOpens(await startProcess(store, { directory: null, variable: newer! }));
  await assert.rejects(removeOldRootKeys(verb), /given by DATARUN_ROOT_KEY/);
  await assert.rejects(
    startProcess(store, { directory: null, variable: older! }),
    /DATARUN_ROOT_KEY does not hold the root key new/,
  );
});

test("an empty store rotates to a new key and verifies", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "rotate-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const verb = await startProcess(new MemoryStore(), { directory });
  const report = await rotateKeys(verb, { newDataKeys: true });
  assert.equal(report.createdRootKey, true);
  assert.equal((await removeOldRootKeys(verb)).length, 1);
});

test("a data key that cannot be opened does not prevent a later rotation from making a new root key", async (t) => {
  const { directory, store, service } = await embedded(t, 1);
  const lost = { id: "root_lost", bytes: randomBytes(32) };
  await store.addDataKey(wrapDataKey(lost, { id: "key_lost", bytes: randomBytes(32) }, "org_4"));
  const [row] = [...store.keys.values()];
  store.keys.set("key_0", { ...row!, id: "key_0" });
  for (const file of ["root-2.key", "root-3.key"]) {
    const report = await rotateKeys(service, { newDataKeys: false });
    assert.equal(report.createdRootKey, true, file);
    assert.deepEqual(
      report.unreadable.map(({ id, organizationId, reason }) => [id, organizationId, reason]),
      [
        ["key_0", "org_1", "data_key_altered"],
        ["key_lost", "org_4", "root_key_missing"],
      ],
    );
    assert.ok(existsSync(join(directory, file)));
  }
});
