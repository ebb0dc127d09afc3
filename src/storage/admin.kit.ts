import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Context } from "../terms/caller.ts";
import { aCredential, ACT, anOrganization, aToken, aWorkflow, type EngineUnderTest } from "./engines.kit.ts";

export function adminContract(engine: EngineUnderTest): void {
  describe(`administration on ${engine.name}`, () => {
    test("nothing is created in an organization that does not exist, and the audit trail stays empty", async (t) => {
      const store = await (await engine.newStore(t))();
      const token = {
        id: "tok_1",
        organizationId: "org_x",
        name: "",
        digest: "d",
        createdWallAt: 1,
        expiresWallAt: null,
      };

      assert.equal(await store.admin.createToken(ACT, token), null);
      assert.equal(await store.admin.createWorkflow(ACT, aWorkflow("org_x")), null);
      assert.equal(await store.admin.createCredential(ACT, aCredential("org_x")), null);
      assert.equal(await store.admin.revokeToken(ACT, { id: "tok_1" }), null);
      assert.equal(await store.admin.changeOrganization(ACT, "org_x", { disabled: true }), null);
      assert.equal(await store.admin.changeWorkflow(ACT, "wfl_x", { disabled: true }), null);
      assert.equal(await store.admin.setCredentialDisabled(ACT, "cred_x", true), null);

      assert.deepEqual(await store.admin.auditEntries({ limit: 10 }), []);
    });

    test("every action is in the audit trail with actor, action and object, newest first", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const tokenId = await aToken(store, organizationId, "digest-of-a-secret");
      const workflow = aWorkflow(organizationId);
      const credential = aCredential(organizationId, { sealed: "sealed-bytes" });
      const at = (ms: number) => ({ ...ACT, what: `act ${ms}`, wallAt: ACT.wallAt + ms });
      await store.admin.revokeToken(at(1), { id: tokenId });
      await store.admin.createWorkflow(at(2), workflow);
      await store.admin.changeWorkflow(at(3), workflow.id, { failureDetails: true });
      await store.admin.createCredential(at(4), credential);
      await store.admin.setCredentialDisabled(at(5), credential.id, true);
      await store.admin.deleteCredential(at(6), credential.id);
      await store.admin.recordAct(at(7), { organizationId: null, subjectId: "root_2", detail: { rows: 12 } });

      const entries = await store.admin.auditEntries({ limit: 7 });
      assert.deepEqual(
        entries.map((entry) => [entry.what, entry.who, entry.subjectId]),
        [
          ["act 7", "ada", "root_2"],
          ["act 6", "ada", credential.id],
          ["act 5", "ada", credential.id],
          ["act 4", "ada", credential.id],
          ["act 3", "ada", workflow.id],
          ["act 2", "ada", workflow.id],
          ["act 1", "ada", tokenId],
        ],
      );
      assert.deepEqual(entries[4]?.detail, { failure_details: true });
      const between = await store.admin.actsBetween(["act 5", "act 3", "act 2"], ACT.wallAt + 3, ACT.wallAt + 6);
      assert.deepEqual(between.map(({ what }) => what), ["act 3", "act 5"]); // prettier-ignore
      assert.deepEqual(between[0]?.detail, { failure_details: true });
      assert.deepEqual(await store.admin.actsBetween(["act 5"], 0, ACT.wallAt + 5), []);
      assert.equal((await store.admin.auditEntries({ organizationId, limit: 100 })).length, 8);
      assert.doesNotMatch(JSON.stringify(await store.admin.auditEntries({ limit: 100 })), /secret|sealed-bytes/);
    });

    test("a workflow changes only in the settings that are given", async (t) => {
      const store = await (await engine.newStore(t))();
      const workflow = { ...aWorkflow(await anOrganization(store)), simulated: true };
      await store.admin.createWorkflow(ACT, workflow);

      await store.admin.changeWorkflow(ACT, workflow.id, { maskCredentials: true, name: "renamed" });

      assert.deepEqual(await store.admin.workflow(workflow.id), {
        ...workflow,
        maskCredentials: true,
        name: "renamed",
      });
      assert.deepEqual(await store.admin.workflows(workflow.organizationId), [await store.admin.workflow(workflow.id)]);
    });

    const every: readonly Context[] = [];
    const takeovers: readonly {
      readonly was: readonly Context[];
      readonly becomes: readonly Context[];
      readonly replaced: boolean;
      readonly narrowedTo?: readonly Context[];
    }[] = [
      { was: every, becomes: every, replaced: true },
      { was: ["prod"], becomes: every, replaced: true },
      { was: ["prod"], becomes: ["test", "prod"], replaced: true },
      { was: every, becomes: ["prod", "test", "dev"], replaced: true },
      { was: ["prod"], becomes: ["test"], replaced: false },
      { was: every, becomes: ["prod"], replaced: false, narrowedTo: ["test", "dev"] },
      { was: ["prod", "dev"], becomes: ["prod"], replaced: false, narrowedTo: ["dev"] },
    ];
    for (const { was, becomes, replaced, narrowedTo } of takeovers) {
      const says = replaced ? "replaces" : narrowedTo === undefined ? "leaves alone" : "narrows";
      test(`a default for [${becomes.join()}] ${says} one for [${was.join()}]`, async (t) => {
        const store = await (await engine.newStore(t))();
        const organizationId = await anOrganization(store);
        const old = aCredential(organizationId, { isDefault: true, contexts: was });
        const bystanders = [
          aCredential(organizationId, { isDefault: true, source: "bell__phone" }),
          aCredential(await anOrganization(store), { isDefault: true }),
        ];
        for (const credential of [old, ...bystanders]) await store.admin.createCredential(ACT, credential);
        const fresh = aCredential(organizationId, {
          isDefault: true,
          contexts: becomes,
          createdWallAt: ACT.wallAt + 1,
        });

        const created = await store.admin.createCredential(ACT, fresh);

        assert.deepEqual(
          created?.replaced.map(({ id }) => id),
          replaced ? [old.id] : [],
        );
        assert.deepEqual(
          created?.narrowed.map(({ contexts }) => contexts),
          narrowedTo === undefined ? [] : [narrowedTo],
        );
        assert.equal((await store.admin.credential(old.id))?.isDefault, !replaced);
        assert.equal((await store.admin.credential(fresh.id))?.isDefault, true);
        for (const { id } of bystanders) assert.equal((await store.admin.credential(id))?.isDefault, true);
      });
    }

    test("of many defaults set at once by two processes exactly one remains", async (t) => {
      const openAgain = await engine.newStore(t);
      const stores = [await openAgain(), await openAgain()];
      const organizationId = await anOrganization(stores[0]!);
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          stores[at % 2]!.admin.createCredential(ACT, aCredential(organizationId, { isDefault: true })),
        ),
      );

      const credentials = await stores[0]!.admin.credentials(organizationId);
      assert.equal(credentials.length, 20);
      assert.equal(credentials.filter((credential) => credential.isDefault).length, 1);
    });

    test("names keep every character", async (t) => {
      const store = await (await engine.newStore(t))();
      const names = ["Ada & Söhne 🦉", "a\u0000b", "half \ud83d", "\u001a0000", "'\"\\%_", ""];
      for (const [at, name] of names.entries()) {
        await store.admin.createOrganization(ACT, { id: `org_${at}`, name, createdWallAt: names.length - at });
      }
      assert.deepEqual(
        (await store.admin.organizations()).map(({ name }) => name),
        names,
      );
    });
  });
}
