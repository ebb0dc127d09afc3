import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { describe, test } from "node:test";
import type { AuditFilter } from "../admin/ports.ts";
import type { Context } from "../terms/caller.ts";
import {
  aCredential,
  ACT,
  anOperator,
  anOrganization,
  aToken,
  aWorkflow,
  type EngineUnderTest,
} from "./engines.kit.ts";

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
      assert.deepEqual(entries[4]?.detail, { failure_details: true, before: { failure_details: false } });
      const between = await store.admin.actsBetween(["act 5", "act 3", "act 2"], ACT.wallAt + 3, ACT.wallAt + 6);
      assert.deepEqual(
        between.map(({ what }) => what),
        ["act 3", "act 5"],
      );
      assert.deepEqual(between[0]?.detail, { failure_details: true, before: { failure_details: false } });
      assert.deepEqual(await store.admin.actsBetween(["act 5"], 0, ACT.wallAt + 5), []);
      assert.equal((await store.admin.auditEntries({ organizationId, limit: 100 })).length, 8);
      assert.doesNotMatch(JSON.stringify(await store.admin.auditEntries({ limit: 100 })), /secret|sealed-bytes/);
    });

    test("the audit trail is narrowed by every filter and by all of them together, at the borders of its times too", async (t) => {
      const store = await (await engine.newStore(t))();
      const [one, other] = [await anOrganization(store), await anOrganization(store)];
      const org = (organizationId: string) => ({ organizationId, subjectId: organizationId, detail: {} });
      const acts = [
        [{ who: "ada", what: "org rename", wallAt: 10_000 }, one],
        [{ who: "bob", what: "org rename", wallAt: 10_001 }, one],
        [{ who: "ada", what: "org disable", wallAt: 10_002 }, one],
        [{ who: "ada", what: "org rename", wallAt: 10_003 }, other],
      ] as const;
      for (const [act, id] of acts) await store.admin.recordAct({ ...act, via: "api" }, org(id));
      const times = async (filter: AuditFilter) =>
        (await store.admin.auditEntries({ to: 20_000, ...filter })).map(({ wallAt }) => wallAt - 10_000);
      assert.deepEqual(await times({}), [3, 2, 1, 0]);
      assert.deepEqual(await times({ who: "ada" }), [3, 2, 0]);
      assert.deepEqual(await times({ what: "org rename" }), [3, 1, 0]);
      assert.deepEqual(await times({ organizationId: one }), [2, 1, 0]);
      assert.deepEqual(await times({ subjectId: other }), [3]);
      assert.deepEqual(await times({ from: 10_001, to: 10_003 }), [2, 1]);
      assert.deepEqual(
        await times({ who: "ada", what: "org rename", organizationId: one, subjectId: one, from: 10_000, to: 10_001 }),
        [0],
      );
      assert.deepEqual(await times({ who: "nobody" }), []);
    });

    test("names are found by ids, and unknown ids are left out", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const workflow = aWorkflow(organizationId);
      await store.admin.createWorkflow(ACT, workflow);
      const found = await store.admin.findByIds([
        organizationId,
        workflow.id,
        workflow.id,
        "org_none",
        "trx_1",
        "acme__people",
        null,
      ]);
      assert.deepEqual([...found.keys()].toSorted(), [organizationId, workflow.id].toSorted());
      assert.equal(found.get(workflow.id)?.name, workflow.name);
      assert.equal(found.get(workflow.id)?.organizationId, organizationId);
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
      const found = async (by: { readonly nameStart?: string; readonly idStart?: string }) =>
        (await store.admin.workflows(workflow.organizationId, by)).length;
      assert.deepEqual(
        [await found({ nameStart: "RENA" }), await found({ nameStart: "named" }), await found({ nameStart: "onb" })],
        [1, 0, 0],
      );
      assert.deepEqual(
        [await found({ idStart: workflow.id.slice(0, -1) }), await found({ idStart: `${workflow.id}0` })],
        [1, 0],
      );
      const entries = async () =>
        (await store.admin.auditEntries({ subjectId: workflow.id })).map(({ detail }) => detail);
      assert.deepEqual(
        (await entries()).find(({ before }) => before !== undefined),
        {
          mask_credentials: true,
          name: "renamed",
          before: { mask_credentials: workflow.maskCredentials, name: workflow.name },
        },
      );

      const versions = { functions: { dfunc_a: { number: 2, version: "d2", percent: 10 } } };
      await store.admin.changeWorkflow(ACT, workflow.id, { versions });
      await store.admin.changeWorkflow(ACT, workflow.id, { versions: { functions: { dfunc_a: null, dfunc_b: null } } });
      const before = { versions: { functions: { dfunc_a: { digest: "d2", percent: 10 }, dfunc_b: "latest" } } };
      assert.ok((await entries()).some((detail) => isDeepStrictEqual(detail["before"], before)));
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
        Array.from({ length: 8 }, (_, at) =>
          stores[at % 2]!.admin.createCredential(ACT, aCredential(organizationId, { isDefault: true })),
        ),
      );

      const credentials = await stores[0]!.admin.credentials({ organizationId });
      assert.equal(credentials.length, 8);
      assert.equal(credentials.filter((credential) => credential.isDefault).length, 1);
    });

    test("an operator is found by the digest of the token, without a cache", async (t) => {
      const openAgain = await engine.newStore(t);
      const [store, replica] = [await openAgain(), await openAgain()];
      const grace = anOperator({ role: "viewer", expiresWallAt: ACT.wallAt + 9 });
      const { digest, ...shown } = grace;
      const stored = { ...shown, login: "token", revokedWallAt: null, lastUsedWallAt: null };
      assert.deepEqual(await store.admin.createOperator(ACT, grace), stored);
      assert.deepEqual(await replica.admin.operatorOf(digest), stored);
      assert.equal(await replica.admin.operatorOf("another digest"), null);
      assert.deepEqual(await replica.admin.operators(), [stored]);

      await store.admin.revokeOperator({ ...ACT, wallAt: ACT.wallAt + 1 }, { id: grace.id });
      assert.equal((await replica.admin.operatorOf(digest))?.revokedWallAt, ACT.wallAt + 1);
      await replica.admin.revokeOperator({ ...ACT, wallAt: ACT.wallAt + 2 }, { digest });
      assert.equal((await store.admin.operatorOf(digest))?.revokedWallAt, ACT.wallAt + 1);
      assert.equal(await store.admin.revokeOperator(ACT, { name: grace.name }), null, "no active one has this name");

      const trail = await store.admin.auditEntries({ limit: 9 });
      assert.deepEqual(
        trail.map(({ subjectId }) => subjectId),
        [grace.id, grace.id, grace.id],
      );
      assert.doesNotMatch(JSON.stringify(trail), /digest/);
    });

    test("two active operators never have the same name, even when they are created at once", async (t) => {
      const openAgain = await engine.newStore(t);
      const stores = [await openAgain(), await openAgain()];
      const created = await Promise.all(
        Array.from({ length: 12 }, (_, at) => stores[at % 2]!.admin.createOperator(ACT, anOperator())),
      );
      const [first, ...others] = created.filter((operator) => operator !== null);
      assert.deepEqual(others, []);
      await stores[0]!.admin.revokeOperator(ACT, { name: "grace" });
      const expiring = anOperator({ expiresWallAt: ACT.wallAt + 5 });
      assert.equal((await stores[1]!.admin.createOperator(ACT, expiring))?.id, expiring.id);
      assert.equal(await stores[0]!.admin.createOperator({ ...ACT, wallAt: ACT.wallAt + 4 }, anOperator()), null);
      assert.notEqual(await stores[0]!.admin.createOperator({ ...ACT, wallAt: ACT.wallAt + 5 }, anOperator()), null);
      assert.equal((await stores[0]!.admin.operators()).length, 3);
      assert.equal((await stores[0]!.admin.operators()).filter(({ id }) => id === first!.id).length, 1);
    });

    test("a person from the identity provider is one operator, however many logins arrive at once", async (t) => {
      const openAgain = await engine.newStore(t);
      const stores = [await openAgain(), await openAgain()];
      const person = { digest: "d", subject: "ada", name: "ada", role: "viewer" } as const;
      const admitted = await Promise.all(
        Array.from({ length: 12 }, (_, at) => stores[at % 2]!.admin.admitPerson(ACT, person)),
      );
      const [first] = await stores[0]!.admin.operators();
      for (const one of admitted) assert.deepEqual(one, first);
      assert.equal(first!.login, "identity_provider");
      const trail = await stores[1]!.admin.auditEntries({ limit: 9 });
      assert.deepEqual(
        trail.map(({ subjectId, detail }) => [subjectId, detail]),
        [[first!.id, { name: "ada", role: "viewer", subject: "ada" }]],
      );

      await stores[0]!.admin.createOperator(ACT, anOperator());
      assert.equal(await stores[1]!.admin.admitPerson(ACT, { ...person, name: "grace" }), "name_taken");
      assert.equal(await stores[0]!.admin.createOperator(ACT, anOperator({ name: "ada" })), null);
      await stores[0]!.admin.revokeOperator(ACT, { name: "ada" });
      assert.equal(await stores[1]!.admin.admitPerson(ACT, person), "revoked");
      const successor = anOperator({ name: "ada" });
      await stores[0]!.admin.createOperator(ACT, successor);
      await assert.rejects(stores[1]!.admin.restoreOperator(ACT, { name: "ada" }), { code: "refused" });
      await stores[0]!.admin.revokeOperator(ACT, { id: successor.id });
      assert.deepEqual(await stores[1]!.admin.restoreOperator(ACT, { name: "ada" }), first);
      assert.deepEqual(await stores[0]!.admin.admitPerson(ACT, person), first);
    });

    test("the time of an operator's last use never goes back", async (t) => {
      const store = await (await engine.newStore(t))();
      const { id, digest } = anOperator();
      await store.admin.createOperator(ACT, { ...anOperator(), id, digest });
      const usedAfter = async (ms: number) => {
        await store.admin.noteOperatorUse(id, ACT.wallAt + ms);
        return (await store.admin.operatorOf(digest))!.lastUsedWallAt! - ACT.wallAt;
      };
      assert.equal(await usedAfter(0), 0);
      assert.equal(await usedAfter(61_000), 61_000);
      assert.equal(await usedAfter(5_000), 61_000);
    });

    test("names keep every character", async (t) => {
      const store = await (await engine.newStore(t))();
      const names = ["Ada & Söhne 🦉", "a\u0000b", "half \ud83d", "\u001a0000", "'\"\\%_", ""];
      for (const [at, name] of names.entries()) {
        await store.admin.createOrganization(ACT, { id: `org_${names.length - at}`, name, createdWallAt: at });
      }
      assert.deepEqual(
        (await store.admin.organizations()).map(({ name }) => name),
        names,
      );
    });
  });
}
