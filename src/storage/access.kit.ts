import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAccessToken, tokenDigest } from "../access/access-token.ts";
import { createAuthenticator } from "../access/authenticate.ts";
import { systemClock } from "../terms/time/clock.ts";
import type { Fault } from "../terms/fault.ts";
import { ACT, anOrganization, aToken, aWorkflow, type EngineUnderTest, NOTICED_MS, within } from "./engines.kit.ts";

export function accessContract(engine: EngineUnderTest): void {
  describe(`access on ${engine.name}`, () => {
    test("a token is found by its digest and by nothing else", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const id = await aToken(store, organizationId, "d1");

      const expected = {
        id,
        organizationId,
        digest: "d1",
        expiresWallAt: null,
        revoked: false,
        organizationDisabled: false,
      };
      assert.deepEqual(await store.access.findToken("d1"), expected);
      assert.equal(await store.access.findToken("d2"), null);
      assert.equal(await store.access.findToken("D1"), null);
      assert.equal(await store.access.findToken(""), null);
    });

    test("a revoked token is found as revoked, and the first revocation stands", async (t) => {
      const store = await (await engine.newStore(t))();
      const id = await aToken(store, await anOrganization(store), "d1");

      await store.admin.revokeToken({ ...ACT, wallAt: ACT.wallAt + 1 }, { id });
      const again = await store.admin.revokeToken({ ...ACT, wallAt: ACT.wallAt + 2 }, { digest: "d1" });

      assert.equal((await store.access.findToken("d1"))?.revoked, true);
      assert.equal(again?.revokedWallAt, ACT.wallAt + 1);
    });

    test("a token is found as one of a disabled organization, until that is enabled again", async (t) => {
      const store = await (await engine.newStore(t))();
      const [organizationId, other] = [await anOrganization(store), await anOrganization(store)];
      await aToken(store, organizationId, "d1");
      await aToken(store, other, "d2");
      const disabled = async () => [
        (await store.access.findToken("d1"))?.organizationDisabled,
        (await store.access.findToken("d2"))?.organizationDisabled,
      ];
      await store.admin.changeOrganization(ACT, organizationId, { disabled: true });
      assert.deepEqual(await disabled(), [true, false]);
      await store.admin.changeOrganization(ACT, organizationId, { name: "Acme Ltd" });
      assert.deepEqual(await disabled(), [true, false]);
      const enabled = await store.admin.changeOrganization(ACT, organizationId, { disabled: false });
      assert.deepEqual(enabled, { id: organizationId, name: "Acme Ltd", disabled: false, createdWallAt: ACT.wallAt });
      assert.deepEqual(await disabled(), [false, false]);
      const entries = await store.admin.auditEntries({ organizationId, limit: 9 });
      assert.ok(entries.some(({ detail }) => detail["name"] === "Acme Ltd" && detail["name_before"] === "Acme"));
    });

    test("times are numbers, also beyond 32 bits", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const expiresWallAt = 9_007_199_254_740_991;
      const token = { id: "tok_1", organizationId, name: "", digest: "d", createdWallAt: 1, expiresWallAt };
      await store.admin.createToken(ACT, token);

      assert.equal((await store.access.findToken("d"))?.expiresWallAt, expiresWallAt);
    });

    test("a workflow comes back with every setting", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      for (const setting of ["autoCredentials", "failureDetails", "maskCredentials", "simulated", "disabled"]) {
        const workflow = { ...aWorkflow(organizationId), [setting]: true };
        await store.admin.createWorkflow(ACT, workflow);
        assert.deepEqual(await store.access.findWorkflow(workflow.id), workflow);
      }
      assert.equal(await store.access.findWorkflow("wfl_unknown"), null);
    });

    test("an id that a database cannot store finds nothing and fails nothing", async (t) => {
      const store = await (await engine.newStore(t))();
      for (const id of [
        "wfl_\u0000",
        "\u0000",
        "wfl_\ud800",
        "wfl_\udfff\u001a",
        "x".repeat(10_000),
        "'; drop table",
      ]) {
        assert.equal(await store.access.findWorkflow(id), null);
        assert.equal(await store.access.findToken(id), null);
      }
    });

    test("every change by another process is noticed within a second; a last-use note is not a change", async (t) => {
      const openAgain = await engine.newStore(t);
      const [service, operator] = [await openAgain(), await openAgain()];
      const organizationId = await anOrganization(operator);
      const tokenId = await aToken(operator, organizationId, "d1");
      // The first answer may come before the first read of the store.
      assert.ok(await within(NOTICED_MS, () => service.access.version() > 2));

      const before = service.access.version();
      await service.access.markUsed([{ tokenId, wallAt: 5 }]);
      await operator.access.markUsed([{ tokenId, wallAt: 6 }]);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(service.access.version(), before);

      await operator.admin.revokeToken(ACT, { id: tokenId });
      assert.ok(await within(NOTICED_MS, () => service.access.version() !== before));
      assert.ok(await within(NOTICED_MS, () => operator.access.version() === service.access.version()));
      assert.equal(service.credentials.version(), service.access.version());
    });

    test("last use is the latest that any replica noted, and unknown tokens are ignored", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const ids: string[] = [];
      for (let at = 0; at < 250; at += 1) ids.push(await aToken(store, organizationId, `d${at}`));

      await store.access.markUsed([]);
      await store.access.markUsed([...ids, "tok_gone"].map((tokenId) => ({ tokenId, wallAt: 7_000 })));
      await store.access.markUsed([{ tokenId: ids[0]!, wallAt: 6_000 }]);

      const tokens = await store.admin.tokens(organizationId);
      assert.deepEqual(
        tokens.map((token) => token.lastUsedWallAt),
        ids.map(() => 7_000),
      );
    });

    test("new valid tokens are accepted during a flood of unknown ones, which are refused", async (t) => {
      const store = await (await engine.newStore(t))();
      const organizationId = await anOrganization(store);
      const workflow = aWorkflow(organizationId);
      await store.admin.createWorkflow(ACT, workflow);
      const good = Array.from({ length: 20 }, () => makeAccessToken());
      for (const token of good) await aToken(store, organizationId, tokenDigest(token));
      const access = createAuthenticator({ store: store.access, clock: systemClock });

      const refusals: string[] = [];
      const callers: string[] = [];
      const ask = async (token: string): Promise<void> => {
        try {
          const caller = await access.resolveCaller(await access.resolveToken(token), workflow.id);
          callers.push(caller.organizationId);
        } catch (fault) {
          const { code } = fault as Fault;
          // A busy machine has a slow store.
          if (code === "request.store_unavailable") return ask(token);
          refusals.push(code);
        }
      };
      const asked: Promise<void>[] = [];
      // Like real requests: many in one tick of the event loop, one of them with a valid token.
      for (const token of good) {
        asked.push(...Array.from({ length: 75 }, () => ask(makeAccessToken())), ask(token));
        await new Promise(setImmediate);
      }
      await Promise.all(asked);

      assert.deepEqual(
        callers,
        Array.from(good, () => organizationId),
      );
      assert.deepEqual(new Set(refusals), new Set(["request.unauthenticated"]));
      assert.equal(refusals.length, 75 * good.length);
    });

    test("a closed store always fails with the same fault", async (t) => {
      const store = await (await engine.newStore(t))();
      await store.close();
      await assert.rejects(store.access.findToken("d"), { name: "Fault", code: "request.store_unavailable" });
      assert.equal(store.health().state, "closed");
      await store.close();
    });
  });
}
