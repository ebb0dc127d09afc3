import assert from "node:assert/strict";
import { test } from "node:test";
import { hasTokenShape, tokenDigest } from "../../src/access/access-token.ts";
import { osActor } from "../../src/admin/cli/os-actor.ts";
import { openStore } from "../../src/storage/store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { terminal } from "./terminal.ts";

/** A second is the promise; a machine that has seven other things to do is given more. */
const NOTICED_MS = 3_000;
const UNKNOWN = "org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f";

test("the documented commands print exactly the documented JSON", async (t) => {
  const { json } = terminal(t);
  const organization = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  assert.deepEqual(Object.keys(organization), ["organization_tuid"]);
  assert.match(organization.organization_tuid, /^org_[0-9a-f]{32}$/);
  const org = organization.organization_tuid;

  const token = await json<{ token_id: string; access_token: string }>(["token", "create", "--org", org]);
  assert.deepEqual(Object.keys(token), ["token_id", "access_token"]);
  assert.match(token.token_id, /^tok_[0-9a-f]{32}$/);
  assert.ok(hasTokenShape(token.access_token));

  const workflow = await json<{ workflow: string }>(["workflow", "create", "--org", org]);
  assert.deepEqual(Object.keys(workflow), ["workflow"]);
  assert.match(workflow.workflow, /^wfl_[0-9a-f]{32}$/);
});

test("a token is stored as its digest alone, with what was said of it", async (t) => {
  const { json, dataDir } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const { token_id, access_token } = await json<{ token_id: string; access_token: string }>([
    ..."token create --name back --expires-in 90d --org".split(" "),
    org,
  ]);

  const store = await openStore({ dataDir, clock: systemClock });
  t.after(() => store.close());
  const row = await store.access.findToken(tokenDigest(access_token));
  assert.equal(row?.id, token_id);
  const days = ((row?.expiresWallAt ?? 0) - Date.now()) / 86_400_000;
  assert.ok(days > 89.9 && days <= 90, String(days));

  const listed = await json<{ tokens: Record<string, unknown>[] }>(["token", "list", "--org", org]);
  assert.equal(listed.tokens[0]?.["name"], "back");
  assert.equal(listed.tokens[0]?.["state"], "active");
  assert.doesNotMatch(JSON.stringify(listed) + JSON.stringify(await store.admin.auditEntries({ limit: 9 })), /drt_/);
});

test("a token is valid for a hundred years at most, and a later end from before is listed as the last that can be written", async (t) => {
  const { json, run, dataDir } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  for (const command of [`token create --org ${org}`, "operator create ada --role viewer"]) {
    for (const tooLong of ["36501d", "99999999d", "999999999w"]) {
      const refused = await run([...command.split(" "), "--expires-in", tooLong]);
      assert.equal(refused.code, 1, `${command} ${tooLong}`);
      assert.match(refused.stderr, /^--expires-in must be at most 36500d, a hundred years\./);
    }
    assert.equal((await run([...command.split(" "), "--expires-in", "36500d"])).code, 0);
  }

  const store = await openStore({ dataDir, clock: systemClock });
  t.after(() => store.close());
  const act = { ...osActor(), what: "token create", wallAt: Date.now() };
  const digest = "a".repeat(64);
  const row = { name: "old", digest, createdWallAt: act.wallAt, expiresWallAt: act.wallAt + 99_999_999 * 86_400_000 };
  await store.admin.createToken(act, { ...row, id: "tok_old", organizationId: org });
  await store.admin.createOperator(act, { ...row, id: "opr_old", role: "viewer" });
  for (const list of [`token list --org ${org}`, "operator list"]) {
    const all = Object.values(await json<Record<string, { name: string; expires_at: string }[]>>(list.split(" ")));
    assert.equal(all.flat().find(({ name }) => name === "old")?.expires_at, "9999-12-31T23:59:59.999Z", list);
  }
  // The trail keeps Unix ms, and shows the same time under the same name.
  const { entries } = await json<{ entries: { detail: Record<string, unknown> }[] }>(["audit", "list"]);
  const ends = entries.filter(({ detail }) => detail["name"] === "old").map(({ detail }) => detail["expires_at"]);
  assert.deepEqual(ends, Array(2).fill("9999-12-31T23:59:59.999Z"));
  for (const command of ["audit list", "audit export", "audit export --format jsonl"]) {
    const { stdout } = await run(command.split(" "));
    assert.match(stdout, /expires_at\W+9999-12-31T23:59:59\.999Z/, command);
    assert.doesNotMatch(stdout, /wall_at/, command);
  }
});

test("a revoked token is noticed within a second by a service that has the store open", async (t) => {
  const { json, run, dataDir } = terminal(t);
  const service = await openStore({ dataDir, clock: systemClock });
  t.after(() => service.close());
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const issued = await json<{ token_id: string; access_token: string }>(["token", "create", "--org", org]);
  const digest = tokenDigest(issued.access_token);
  assert.equal((await service.access.findToken(digest))?.revoked, false);
  await new Promise((resolve) => setTimeout(resolve, 250));
  const before = service.access.version();

  assert.equal((await run(["token", "revoke", issued.token_id])).code, 0);

  const giveUpAt = performance.now() + NOTICED_MS;
  while (service.access.version() === before && performance.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.notEqual(service.access.version(), before);
  assert.equal((await service.access.findToken(digest))?.revoked, true);
});

test("a leaked token can be revoked by showing it, and revoking twice says so", async (t) => {
  const { json, run } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const issued = await json<{ token_id: string; access_token: string }>(["token", "create", "--org", org]);

  const revoked = await json<{ token_id: string }>(["token", "revoke", issued.access_token]);
  assert.equal(revoked.token_id, issued.token_id);
  const again = await run(["token", "revoke", issued.token_id]);
  assert.equal(again.code, 0);
  assert.match(again.stderr, /had already been revoked/);

  const unknown = await run(["token", "revoke", `drt_${"0".repeat(49)}`]);
  assert.equal(unknown.code, 1);
  assert.doesNotMatch(unknown.stderr, /drt_/);
});

test("a workflow's settings are what was given, change one by one, and it can be disabled and enabled", async (t) => {
  const { json, run } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const { workflow } = await json<{ workflow: string }>(
    `workflow create --org ${org} --name kyc --auto-credentials --simulated`.split(" "),
  );
  const state = async () =>
    (await json<{ workflows: Record<string, unknown>[] }>(["workflow", "list", "--org", org])).workflows[0];
  const created = await state();
  assert.deepEqual(created, {
    workflow,
    name: "kyc",
    disabled: false,
    auto_credentials: true,
    failure_details: true,
    mask_credentials: false,
    simulated: true,
    versions: [],
    created_at: created?.["created_at"],
  });

  await json(["workflow", "set", workflow, "--no-auto-credentials", "--no-failure-details"]);
  await json(["workflow", "disable", workflow]);
  assert.deepEqual(await state(), { ...created, auto_credentials: false, failure_details: false, disabled: true });
  await json(["workflow", "enable", workflow]);
  assert.equal((await state())?.["disabled"], false);

  const refused = await run(["workflow", "set", workflow, "--no-simulated"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /Unknown option --no-simulated/);
  assert.equal((await run(["workflow", "set", workflow])).code, 2);
});

test("an organization is renamed, disabled and enabled, under one id; the trail has both names", async (t) => {
  const { json, run } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const list = async () => (await json<{ organizations: Record<string, unknown>[] }>(["org", "list"])).organizations;
  const [created] = await list();
  assert.deepEqual(created, {
    organization_tuid: org,
    name: "Acme",
    disabled: false,
    created_at: created?.["created_at"],
  });
  const renamed = { ...created, name: "Acme Ltd" };
  assert.deepEqual(await json(["org", "rename", org, "Acme Ltd"]), renamed);
  assert.deepEqual(await json(["org", "disable", org]), { ...renamed, disabled: true });
  assert.deepEqual(await list(), [{ ...renamed, disabled: true }]);
  assert.deepEqual(await json(["org", "enable", org]), renamed);
  const { entries } = await json<{ entries: { what: string; detail: object }[] }>(["audit", "list", "--org", org]);
  assert.deepEqual(
    entries.map(({ what }) => what),
    ["org enable", "org disable", "org rename", "org create"],
  );
  assert.deepEqual(entries[2]?.detail, { name: "Acme Ltd", name_before: "Acme" });
  assert.equal((await run(["org", "rename", org, "  "])).code, 2);
  assert.equal((await run(["org", "rename", org])).code, 2);
});

for (const command of [
  `org rename ${UNKNOWN} Acme`,
  `org disable ${UNKNOWN}`,
  `org enable ${UNKNOWN}`,
  `token create --org ${UNKNOWN}`,
  `token list --org ${UNKNOWN}`,
  "token revoke tok_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  `workflow create --org ${UNKNOWN}`,
  `workflow list --org ${UNKNOWN}`,
  "workflow set wfl_0192 --name x",
  "workflow disable wfl_0192",
  "credential disable cred_0192",
  "credential delete cred_0192",
  `credential list --org ${UNKNOWN}`,
  `credential create --org ${UNKNOWN} --source acme__people --set api_key=abcd`,
]) {
  test(`"${command}" says that there is no such thing and fails`, async (t) => {
    const { run } = terminal(t);
    const printed = await run(command.split(" "));
    assert.equal(printed.code, 1);
    assert.equal(printed.stdout, "");
    assert.match(
      printed.stderr,
      /^There is no (organization|token|workflow|credential) .* list.* shows those that exist\.\n$/,
    );

    const inJson = await run([...command.split(" "), "--json"]);
    assert.equal(inJson.code, 1);
    assert.deepEqual(JSON.parse(inJson.stdout), {
      error: { code: "not_found", message: printed.stderr.trimEnd() },
    });
  });
}

test("every act is in the audit trail under the user who did it", async (t) => {
  const { json, run } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const { token_id } = await json<{ token_id: string }>(["token", "create", "--org", org]);
  await json(["token", "revoke", token_id]);

  const { entries } = await json<{ entries: Record<string, unknown>[] }>(["audit", "list", "--org", org]);
  assert.deepEqual(
    entries.map(({ what, subject, via }) => [what, subject, via]),
    [
      ["token revoke", token_id, "cli"],
      ["token create", token_id, "cli"],
      ["org create", org, "cli"],
    ],
  );
  assert.ok(entries.every(({ who }) => typeof who === "string" && who !== ""));
  const limited = await json<{ entries: unknown[] }>(["audit", "list", "--limit", "2"]);
  assert.match(
    (await run(["audit", "list", "--limit", "2"])).stderr,
    /There are more\. To see them, give --after adt_/,
  );
  assert.equal((await run(["audit", "list", "--limit", String(entries.length + 5)])).stderr, "");
  assert.equal(limited.entries.length, 2);
});

test("the audit trail is read page by page, and each entry is on one of them", async (t) => {
  const { json, run } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  for (let count = 0; count < 6; count += 1) await json(["org", "create", `Other ${count}`]);
  for (let count = 0; count < 4; count += 1) await json(["org", "rename", org, `Acme ${count}`]);
  interface Page {
    readonly entries: readonly { readonly detail: { readonly name: string } }[];
    readonly next?: string;
  }
  const pages = async (...filter: string[]): Promise<string[]> => {
    const names: string[] = [];
    let after: string[] = [];
    for (;;) {
      const page = await json<Page>(["audit", "list", "--limit", "2", ...filter, ...after]);
      names.push(...page.entries.map(({ detail }) => detail.name));
      if (page.next === undefined) return names;
      after = ["--after", page.next];
    }
  };
  assert.deepEqual(await pages("--org", org), ["Acme 3", "Acme 2", "Acme 1", "Acme 0", "Acme"]);
  const all = await json<Page>(["audit", "list"]);
  assert.deepEqual(
    await pages(),
    all.entries.map(({ detail }) => detail.name),
  );
  assert.equal(all.entries.length, 11);
  assert.equal((await run(["audit", "list", "--after", "nonsense"])).code, 2);
});

test("a name of blanks, of several lines or with characters that nobody sees is not a name", async (t) => {
  const { run } = terminal(t);
  for (const name of [
    " \t ",
    "two\nlines",
    "a\u0000b",
    "a\u2028b",
    "a\u001b[31mb",
    "a\u202eb",
    "a\u2066b",
    "a\u200bb",
    "\ufeffa",
    "a\u00adb",
    "a\u034fb",
    "\u3164",
  ]) {
    const { code, stderr } = await run(["org", "create", name]);
    assert.equal(code, 2, JSON.stringify(name));
    assert.match(
      stderr,
      /^NAME must be a name of 1 to 200 characters on one line, not all of them blank, and none of them invisible or changing the direction of text\./,
    );
  }
  for (const name of [" a", "Société Générale (ü) 名", "😀", 'שלום בע"מ', "شركة"])
    assert.equal((await run(["org", "create", name])).code, 0);
});

test("of an organization's tokens those in one state can be listed", async (t) => {
  const { json, run } = terminal(t);
  const { organization_tuid: org } = await json<{ organization_tuid: string }>(["org", "create", "Acme"]);
  const create = () => json<{ token_id: string }>(["token", "create", "--org", org]);
  const [kept, gone] = [await create(), await create()];
  await json(["token", "revoke", gone.token_id]);
  const listed = async (...options: string[]) =>
    (await json<{ tokens: { token_id: string }[] }>(["token", "list", "--org", org, ...options])).tokens.map(
      ({ token_id }) => token_id,
    );
  assert.deepEqual(await listed("--state", "active"), [kept.token_id]);
  assert.deepEqual(await listed("--state", "revoked"), [gone.token_id]);
  assert.deepEqual(await listed("--state", "expired"), []);
  assert.equal((await listed()).length, 2);
  assert.equal((await run(["token", "list", "--org", org, "--state", "good"])).code, 2);
});

test("keys verify says in sentences what there is nothing of", async (t) => {
  const { run } = terminal(t);
  await run(["org", "create", "Acme"]);
  const { stdout } = await run(["keys", "verify"]);
  assert.equal(
    stdout,
    [
      "data_keys    0",
      "credentials  0",
      "",
      "Everything that is sealed can be opened.",
      "",
      "No root key is needed: nothing is sealed.",
      "",
      "There is no old root key that could be removed.",
      "",
    ].join("\n"),
  );
});
