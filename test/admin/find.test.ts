import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { answers, sendsCredential } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

interface Match {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  readonly organization_tuid: string | null;
}

test("anything is found by its id, by the beginning of it, or by its name", async (t) => {
  const vendor = await startVendor(t);
  const sources = [sendsCredential("acme__people", vendor, "/json"), answers("bell__phone", {})];
  const service = await startService(t, { sources, vendors: [vendor] });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner", "grace.hopper");
  const viewer = await service.operator.appoint("viewer", "ada");
  const find = async (text: string): Promise<Match[]> => (await result("object find", { text }, viewer)).matches;
  const idsOf = async (text: string) => (await find(text)).map(({ id }) => id);

  const { organization_tuid: org } = await result("org create", { name: "Ünïted 100%_\\ Lending" }, owner);
  const { workflow } = await result("workflow create", { org, name: "Onboarding of companies" }, owner);
  const { token_id } = await result("token create", { org, name: "secretly named" }, owner);
  const fields = { api_key: service.secrets.add("a-vendor-key-to-find-nowhere") };
  const { cred_id } = await result("credential create", { org, source: "acme__people", fields }, owner);
  const { budget } = await result("budget set", { org, per: "day", calls: 5 }, owner);
  const run = await result("source run", { source: "bell__phone", workflow: service.a.workflow }, owner);
  service.expectRunWithoutAnswer();
  const transaction = run.transaction_id as string;
  await until(async () => (await idsOf(transaction)).length === 1);

  for (const [kind, id] of Object.entries({
    organization: org,
    workflow,
    token: token_id,
    credential: cred_id,
    budget,
    run: transaction,
  })) {
    for (const text of [
      id,
      ` ${id.toUpperCase().replace(/^[A-Z]+/, (prefix: string) => prefix.toLowerCase())}\n`,
      id.slice(0, -3),
    ]) {
      const [first, ...others] = await find(text);
      assert.deepEqual([first?.kind, first?.id, others], [kind, id, []], text);
      assert.equal(first?.organization_tuid, kind === "run" ? service.a.id : org, text);
    }
  }
  assert.deepEqual(
    (await find("opr_")).map(({ kind }) => kind),
    ["operator", "operator"],
  );
  // By the beginning of a name, in whatever letters; and by any part of it.
  // The same letter may be written as one character or as two.
  const ways = ["ünï", "ÜNÏTED 100%_\\ L", "lending", "100%_\\", "NÏTED", "ïted", "i\u0308TE"];
  for (const text of ways) assert.deepEqual(await idsOf(text), [org], text);
  assert.deepEqual(await idsOf("onboard"), [workflow]);
  assert.deepEqual(
    (await find("hopper")).map(({ kind, name }) => [kind, name]),
    [["operator", "grace.hopper"]],
  );
  assert.deepEqual(
    (await find("PEOPLE")).map(({ kind, id }) => [kind, id]),
    [["source", "acme__people"]],
  );
  // Nothing that matches everything to a database does so here, and no secret is a name.
  for (const text of ["%", "_____", "' or 1=1 --", "\\", fields.api_key, "trx_zzz", "\u0000"])
    assert.deepEqual(await idsOf(text), text === "%" || text === "\\" ? [org] : [], text);
  // What distinguishes long names may be at their end.
  const long = "Onboarding of companies that are registered abroad and ";
  const { workflow: audited } = await result("workflow create", { org, name: `${long}audited` }, owner);
  await result("workflow create", { org, name: `${long}not audited` }, owner);
  assert.deepEqual(await idsOf(`${long}AUDITED`), [audited]);
  assert.equal((await call("object find", { text: "  " }, { as: viewer })).statusCode, 422);
});

test("ids are named, those that are there, and of nothing else", async (t) => {
  const service = await startService(t);
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner", "grace");
  const { organization_tuid: org } = await result("org create", { name: "Acme" }, owner);
  const { workflow } = await result("workflow create", { org, name: "Onboarding" }, owner);
  const { token_id } = await result("token create", { org }, owner);
  const ids = [org, workflow, token_id, owner.id, workflow, "trx_0", `org_${"0".repeat(32)}`, "", "nonsense"];
  const { objects } = await result("object name", { id: ids.filter((id) => id !== "") }, owner);
  const named = objects.map(({ kind, name, organization_tuid }: Match) => [kind, name, organization_tuid]);
  const known = [
    ["operator", "grace", null],
    ["organization", "Acme", org],
    ["token", null, org],
    ["workflow", "Onboarding", org],
  ];
  assert.deepEqual(new Set(named), new Set(known));
  assert.equal(named.length, known.length);
  assert.equal((await call("object name", { id: [] }, { as: owner })).statusCode, 422);
});

test("at most twenty are shown, and what begins with the text comes first", async (t) => {
  const service = await startService(t);
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner");
  for (let at = 0; at < 25; at += 1) await result("org create", { name: `The many ${at}` }, owner);
  const { organization_tuid: org } = await result("org create", { name: "Many" }, owner);
  const { matches } = await result("object find", { text: "many" }, owner);
  assert.equal(matches.length, 20);
  assert.equal(matches[0].id, org);
  assert.equal((await result("object find", { text: "org_" }, owner)).matches.length, 20);
});

test("a token is found by its whole text, also once it is revoked, and no part of it is searched or shown", async (t) => {
  const service = await startService(t);
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner");
  const viewer = await service.operator.appoint("viewer", "ada");
  const { token_id, access_token } = await result("token create", { org: service.a.id, name: "till" }, owner);
  service.secrets.add(access_token);
  const find = async (text: string) => (await result("object find", { text }, viewer)).matches as Match[];
  const expected = [{ kind: "token", id: token_id, name: "till", organization_tuid: service.a.id }];
  assert.deepEqual(await find(`  ${access_token}\n`), expected);
  await result("token revoke", { token_id }, owner);
  assert.deepEqual(await find(access_token), expected);
  assert.deepEqual(
    (await find(viewer.token)).map(({ kind, name }) => [kind, name]),
    [["operator", viewer.name]],
  );
  // What has no such form is not looked up, and neither answer repeats it.
  for (const text of [access_token.slice(0, -1), `${access_token.slice(0, -1)}!`, "drt_"]) {
    assert.deepEqual(await find(text), []);
    assert.ok(!(await call("object find", { text }, { as: viewer })).text.includes(access_token.slice(4, -1)));
  }
});
