import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf } from "../rig/error-of.ts";
import { startService } from "../rig/service.ts";
import { until } from "../rig/until.ts";

const service = await startService({ after });
const { a, b, operator } = service;
const BODY = { config: { sources: { ok__echo: true } } };

test("no token opens a workflow of another organization, and no answer shows that there is one", async () => {
  const disabled = await operator.createWorkflow(b.id, { disabled: true });
  const bodies = new Set<string>();
  for (const path of ["/data", "/func"] as const) {
    for (const workflow of [b.workflow, disabled, `wfl_${"0".repeat(32)}`, b.id, b.tokenId, "x"]) {
      const inHeader = await service.post(path, BODY, { as: { token: a.token, workflow } });
      const inBody = await service.post(path, { ...BODY, access_token: a.token, workflow }, { as: null });
      const mixed = await service.post(
        path,
        { ...BODY, workflow },
        { as: null, headers: { "X-Service-Access-Token": a.token } },
      );
      for (const reply of [inHeader, inBody, mixed]) {
        assert.equal(reply.statusCode, 401);
        bodies.add(JSON.stringify(errorOf(reply)));
      }
    }
    for (const token of [b.tokenId, b.workflow, a.token.slice(0, -1), `${a.token}x`]) {
      const reply = await service.post(path, BODY, { as: { token, workflow: b.workflow } });
      assert.equal(reply.statusCode, 401);
      bodies.add(JSON.stringify(errorOf(reply)));
    }
  }
  assert.equal(bodies.size, 1, "one body for all of them");
  assert.equal(service.ledgerRows().length, 0);
});

test("a workflow in the body does not take the place of the one in the header, nor a token", async () => {
  const reply = await service.post("/data", { ...BODY, access_token: b.token, workflow: b.workflow });
  assert.equal(reply.statusCode, 200);
  const { run } = service.ledgerRows(reply.json().transaction_id);
  assert.deepEqual([run["organization_id"], run["workflow_id"], run["token_id"]], [a.id, a.workflow, a.tokenId]);
});

test("an organization id in a request changes nothing, and a caller sees only its own", async () => {
  const reply = await service.post("/func", { config: { organization_tuid: b.id }, organization_tuid: b.id });
  assert.equal(reply.statusCode, 200);
  assert.equal(reply.json().config.organization_tuid, a.id);
  assert.equal(service.ledgerRows(reply.json().transaction_id).run["organization_id"], a.id);
});

test("revoking a token or disabling a workflow affects no other organization", async () => {
  const second = await operator.createOrganization("second");
  await operator.revokeToken(second.tokenId);
  await operator.changeWorkflow(second.workflow, { disabled: true });
  assert.equal((await service.post("/data", BODY, { as: second })).statusCode, 401);
  for (const as of [a, b]) assert.equal((await service.post("/data", BODY, { as })).statusCode, 200);
});

test("a disabled organization is refused like an unauthenticated client, by name in the log alone, and no other with it", async () => {
  const third = await operator.createOrganization("third");
  assert.equal((await service.post("/data", BODY, { as: third })).statusCode, 200);
  const stranger = await service.post("/data", BODY, { as: { ...third, token: `drt_${"0".repeat(49)}` } });
  await operator.changeOrganization(third.id, { disabled: true });
  await until(async () => (await service.post("/data", BODY, { as: third })).statusCode === 401);
  for (const path of ["/data", "/func"] as const) {
    const { token: access_token, workflow } = third;
    const refused = [
      await service.post(path, BODY, { as: third }),
      await service.post(path, { ...BODY, access_token, workflow }, { as: null }),
    ];
    for (const reply of refused) assert.deepEqual([reply.statusCode, errorOf(reply)], [401, errorOf(stranger)]);
  }
  for (const as of [a, b]) assert.equal((await service.post("/data", BODY, { as })).statusCode, 200);
  const reasons = (await service.logLines()).filter((line) => JSON.stringify(line).includes("organization_disabled"));
  assert.ok(reasons.length > 0);
  assert.ok(
    reasons.every((line) => JSON.stringify(line).includes(third.tokenId)),
    "the operator sees whose it is",
  );

  await operator.changeOrganization(third.id, { disabled: false });
  await until(async () => (await service.post("/data", BODY, { as: third })).statusCode === 200);
});
