import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aCredential, ACT, anOrganization, type EngineUnderTest, NOTICED_MS, within } from "./engines.kit.ts";

const OURS = { id: "root_1", proof: "p1" };
const OTHER = { id: "root_2", proof: "p2" };

export function keysContract(engine: EngineUnderTest): void {
  describe(`keys on ${engine.name}`, () => {
    test("the root key registered first stays until it is replaced, however many processes register at once", async (t) => {
      const openAgain = await engine.newStore(t);
      const [one, two] = [await openAgain(), await openAgain()];
      assert.equal(await one.keys.registeredRootKey(), null);
      const written = await Promise.all([
        one.admin.registerRootKey(ACT, OURS, false),
        two.admin.registerRootKey(ACT, OTHER, false),
      ]);
      assert.equal(written.filter(Boolean).length, 1);
      const [first, second] = written[0] ? [OURS, OTHER] : [OTHER, OURS];
      assert.deepEqual(await two.keys.registeredRootKey(), first);

      assert.equal(await one.admin.registerRootKey({ ...ACT, wallAt: ACT.wallAt + 1 }, second, true), true);
      assert.deepEqual(await two.keys.registeredRootKey(), second);
      const [entry] = await one.admin.auditEntries({ limit: 1 });
      assert.deepEqual([entry?.what, entry?.subjectId, entry?.who], ["keys adopt", second.id, ACT.who]);
    });

    test("no second root key is registered where something is already sealed", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      await store.keys.addDataKey({ id: "key_1", organizationId, rootKeyId: "root_1", wrapped: "w" });
      assert.equal(await store.admin.registerRootKey(ACT, OTHER, false), false);
      assert.equal(await store.keys.registeredRootKey(), null);
    });

    test("a data key is removed with its credentials or not at all, and the audit trail names what was lost", async (t) => {
      const openAgain = await engine.newStore(t);
      const [store, service] = [await openAgain(), await openAgain()];
      const organizationId = await anOrganization(store);
      for (const id of ["key_1", "key_2"]) {
        await store.keys.addDataKey({ id, organizationId, rootKeyId: "root_1", wrapped: "w" });
      }
      const [lost, kept] = ["key_1", "key_2"].map((keyId) => aCredential(organizationId, { keyId, isDefault: true }));
      for (const credential of [lost!, kept!]) await store.admin.createCredential(ACT, credential);

      assert.equal(await store.admin.discardDataKey(ACT, "key_3", true), null);
      await assert.rejects(store.admin.discardDataKey(ACT, "key_1", false), {
        code: "refused",
        message: new RegExp(lost!.id),
      });
      assert.equal((await store.keys.dataKeysAfter("", 9)).length, 2);

      const expected = { organizationId, rootKeyId: "root_1", credentialIds: [lost!.id] };
      await within(NOTICED_MS, () => service.access.version() > 0);
      const before = service.access.version();
      assert.deepEqual(await store.admin.discardDataKey({ ...ACT, wallAt: ACT.wallAt + 1 }, "key_1", true), expected);
      assert.ok(
        await within(NOTICED_MS, () => service.access.version() !== before),
        "whoever remembers it hears of it",
      );
      assert.deepEqual(
        (await store.keys.dataKeysAfter("", 9)).map(({ id }) => id),
        ["key_2"],
      );
      assert.deepEqual(
        (await store.admin.credentials({ organizationId })).map(({ id }) => id),
        [kept!.id],
      );
      const [entry] = await store.admin.auditEntries({ organizationId, limit: 1 });
      assert.deepEqual([entry?.subjectId, entry?.detail], ["key_1", { root_key: "root_1", credentials: [lost!.id] }]);
    });
  });
}
