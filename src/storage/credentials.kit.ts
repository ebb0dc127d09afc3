import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../terms/json/json.ts";
import { AMOUNT_MAX } from "../terms/money/money.ts";
import { aCredential, ACT, anOrganization, type EngineUnderTest } from "./engines.kit.ts";

export function credentialsContract(engine: EngineUnderTest): void {
  describe(`credentials on ${engine.name}`, () => {
    test("a credential comes back as it was stored, to its own organization and source only", async (t) => {
      const store = await (await engine.newStore(t))();
      const [mine, other] = [await anOrganization(store), await anOrganization(store)];
      const credential = aCredential(mine, {
        contexts: ["prod", "test"],
        regions: ["eu", "uk"],
        isDefault: true,
        disabled: true,
        version: 3,
      });
      await store.admin.createCredential(ACT, credential);

      assert.deepEqual(await store.credentials.credentialsFor(mine, "acme__people"), [credential]);
      assert.deepEqual(await store.credentials.credentialsFor(other, "acme__people"), []);
      assert.deepEqual(await store.credentials.credentialsFor(mine, "acme__people\u0000"), []);
    });

    test("credentials come newest first", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const all = [3, 1, 2].map((createdWallAt) => aCredential(organizationId, { createdWallAt }));
      for (const credential of all) await store.admin.createCredential(ACT, credential);

      const found = await store.credentials.credentialsFor(organizationId, "acme__people");
      assert.deepEqual(
        found.map((credential) => credential.createdWallAt),
        [3, 2, 1],
      );
    });

    test("prices come back as they were set, to their own organization and source only", async (t) => {
      const store = await (await engine.newStore(t))();
      const [mine, other] = [await anOrganization(store), await anOrganization(store)];
      const credential = aCredential(mine);
      await store.admin.createCredential(ACT, credential);
      const basic = {
        amount: AMOUNT_MAX,
        currency: "EUR",
        fromWallAt: -1,
        above: 0,
        per: null,
        timeZone: "Europe/Berlin",
      };
      const step = { ...basic, amount: 1n, above: 10_000, per: "per_match" } as const;
      const later = { ...basic, amount: 0n, currency: "USD", fromWallAt: 1_800_000_000_000 };
      for (const term of [basic, step, later])
        assert.deepEqual(await store.admin.setPrice(ACT, credential, () => term), { set: term, replaced: null });
      assert.deepEqual(await store.admin.prices(credential.id), [later, basic, step]);
      assert.deepEqual(
        await store.credentials.pricesFor(mine, "acme__people"),
        new Map([[credential.id, [basic, step, later]]]),
      );
      assert.deepEqual(await store.credentials.pricesFor(other, "acme__people"), new Map());

      const dearer = { ...step, amount: 2n };
      assert.deepEqual(await store.admin.setPrice(ACT, credential, () => dearer), { set: dearer, replaced: step });
      const isEarly = ({ fromWallAt }: { readonly fromWallAt: number }) => fromWallAt === basic.fromWallAt;
      assert.equal(await store.admin.removePrices(ACT, credential, isEarly), 2);
      assert.equal(await store.admin.removePrices(ACT, credential, isEarly), null);
      assert.deepEqual(await store.admin.prices(credential.id), [later]);
      const trail = await store.admin.auditEntries({ organizationId: mine, limit: 10 });
      const removed = trail.flatMap(({ detail }) => (detail["removed"] as JsonObject[] | undefined) ?? []);
      assert.deepEqual(
        removed.map(({ amount }) => amount),
        ["1000000000.00", "0.000002"],
      );
      const replaced = trail.flatMap(
        ({ detail }) => (detail["replaced"] as { amount: string } | null | undefined)?.amount ?? [],
      );
      assert.deepEqual(replaced, ["0.000001"]);
    });

    test("billed calls are added up by credential and month, whichever process adds them", async (t) => {
      const open = await engine.newStore(t);
      const counts = [(await open()).callCounts, (await open()).callCounts];
      assert.equal(await counts[0]!.addCalls("cred_1", 0, 0), 0);
      await Promise.all(counts.flatMap((one) => [one.addCalls("cred_1", 0, 2), one.addCalls("cred_1", 1_000, 5)]));
      assert.equal(await counts[1]!.addCalls("cred_1", 0, 0), 4);
      assert.equal(await counts[0]!.addCalls("cred_1", 1_000, 1), 11);
    });

    test("a deleted credential is erased and nothing finds it", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const credential = aCredential(organizationId, { isDefault: true });
      await store.admin.createCredential(ACT, credential);

      assert.equal((await store.admin.deleteCredential(ACT, credential.id))?.id, credential.id);

      assert.deepEqual(await store.credentials.credentialsFor(organizationId, credential.source), []);
      assert.equal(await store.admin.credential(credential.id), null);
      assert.deepEqual(await store.admin.credentials({ organizationId }), []);
      assert.deepEqual(await store.admin.credentialsOfSource(credential.source), []);
      assert.deepEqual(await store.keys.sealedCredentialsAfter("", 10), []);
      assert.equal(await store.admin.deleteCredential(ACT, credential.id), null);
      assert.equal(await store.keys.resealCredential(credential, { keyId: "key_2", sealed: "bmV3" }), false);
    });

    test("a credential is found by a part of its name, keeps its name when it is deleted, and need not have one", async (t) => {
      const store = await (await engine.newStore(t))();
      const [mine, other] = [await anOrganization(store), await anOrganization(store)];
      const [first, second, third] = [
        aCredential(mine),
        aCredential(mine),
        aCredential(other, { source: "acme__firms" }),
      ];
      await store.admin.createCredential(ACT, first, { name: "Main account" });
      await store.admin.createCredential(ACT, second);
      await store.admin.createCredential(ACT, third, { name: "ÜBER-Konto" });

      const named = async (name: string) =>
        (await store.admin.credentials({ name })).map((credential) => [credential.id, credential.name]);
      assert.deepEqual(await named("ACC"), [[first.id, "Main account"]]);
      assert.deepEqual(await named("über"), [[third.id, "ÜBER-Konto"]]);
      assert.deepEqual(await store.admin.credentials({ organizationId: mine, name: "über" }), []);
      assert.deepEqual(
        (await store.admin.credentials({ source: "acme__firms" })).map(({ id }) => id),
        [third.id],
      );

      assert.equal((await store.admin.renameCredential(ACT, second.id, "Main account"))?.name, "Main account");
      assert.equal((await store.admin.renameCredential(ACT, first.id, null))?.name, null);
      assert.equal(await store.admin.renameCredential(ACT, "cred_none", "x"), null);
      const entries = await store.admin.auditEntries({ subjectId: first.id });
      assert.deepEqual(
        entries.map(({ detail }) => detail).find((detail) => "name_before" in detail),
        { source: first.source, name: null, name_before: "Main account" },
      );
      assert.deepEqual(
        (await store.admin.findByName("main", 5)).map(({ id, name }) => [id, name]),
        [[second.id, "Main account"]],
      );
      assert.deepEqual((await store.admin.findByIds([first.id])).get(first.id)?.name, first.source);

      await store.admin.deleteCredential(ACT, second.id);
      assert.deepEqual(await named("main"), []);
      assert.deepEqual(await store.admin.findByName("main", 5), []);
      assert.deepEqual(
        await store.admin.credentialNames([first.id, second.id, null]),
        new Map([[second.id, "Main account"]]),
      );
    });

    test("the newest data key of an organization is the current one, and any is found by its id", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      assert.equal(await store.keys.currentDataKey(organizationId), null);
      const keys = ["key_a", "key_b"].map((id) => ({ id, organizationId, rootKeyId: "root_1", wrapped: `w-${id}` }));
      for (const key of keys) {
        await store.keys.addDataKey(key);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }

      assert.deepEqual(await store.keys.currentDataKey(organizationId), keys[1]);
      assert.deepEqual(await store.credentials.dataKey("key_a"), keys[0]);
      assert.equal(await store.credentials.dataKey("key_c"), null);
      assert.deepEqual(await store.keys.dataKeysAfter("", 10), keys);
      assert.deepEqual(await store.keys.dataKeysAfter("key_a", 10), [keys[1]]);
    });

    test("of two concurrent rotations, each row is re-sealed by exactly one", async (t) => {
      const openAgain = await engine.newStore(t);
      const [one, two] = [await openAgain(), await openAgain()];
      const organizationId = await anOrganization(one);
      const key = { id: "key_1", organizationId, rootKeyId: "root_1", wrapped: "w1" };
      const credential = aCredential(organizationId);
      await one.keys.addDataKey(key);
      await one.admin.createCredential(ACT, credential);

      const rewrapped = await Promise.all(
        [one, two].map((store, at) => store.keys.rewrapDataKey("root_1", { ...key, rootKeyId: `root_${at + 2}` })),
      );
      const resealed = await Promise.all(
        [one, two].map((store, at) => store.keys.resealCredential(credential, { keyId: `key_${at + 2}`, sealed: "x" })),
      );

      assert.equal(rewrapped.filter(Boolean).length, 1);
      assert.equal(resealed.filter(Boolean).length, 1);
      assert.equal((await one.keys.rootKeyIdsInUse()).length, 1);
      assert.equal((await two.credentials.credentialsFor(organizationId, credential.source))[0]?.version, 1);
    });
  });
}
