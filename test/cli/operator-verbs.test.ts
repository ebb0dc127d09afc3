import assert from "node:assert/strict";
import { test } from "node:test";
import { hasOperatorTokenShape, hasTokenShape } from "../../src/access/access-token.ts";
import { Secrets } from "../rig/secrets.ts";
import { terminal } from "./terminal.ts";

interface Made {
  readonly operator_id: string;
  readonly operator_token: string;
}

test("an operator's token is shown once, stored as its digest, and is no access token", async (t) => {
  const { json, run, dataDir } = terminal(t);
  await run(["org", "create", "Acme"]);
  const made = await json<Made>(["operator", "create", "ada", "--role", "viewer", "--expires-in", "90d"]);
  assert.deepEqual(Object.keys(made), ["operator_id", "operator_token"]);
  assert.match(made.operator_id, /^opr_[0-9a-f]{32}$/);
  assert.ok(hasOperatorTokenShape(made.operator_token));
  assert.ok(!hasTokenShape(made.operator_token));

  const secrets = new Secrets();
  secrets.add(made.operator_token);
  const listed = await run(["operator", "list", "--json"]);
  secrets.assertAbsent("the list", listed.stdout);
  secrets.assertAbsent("the audit trail", (await run(["audit", "list", "--json"])).stdout);
  secrets.assertAbsentFromFolder(dataDir);
  const [ada] = (JSON.parse(listed.stdout) as { operators: Record<string, unknown>[] }).operators;
  assert.equal(Date.parse(String(ada?.["expires_at"])) - Date.parse(String(ada?.["created_at"])), 90 * 86_400_000);
  assert.deepEqual(ada, {
    operator_id: made.operator_id,
    name: "ada",
    role: "viewer",
    state: "active",
    created_at: ada?.["created_at"],
    expires_at: ada?.["expires_at"],
    revoked_at: null,
    last_used_at: null,
    login: "token",
  });
});

test("a name is one person's until its operator is revoked: by name, id or token", async (t) => {
  const { json, run } = terminal(t);
  await run(["org", "create", "Acme"]);
  const create = () => json<Made>(["operator", "create", "ada", "--role", "owner"]);
  for (const key of [(): string => "ada", (made: Made) => made.operator_id, (made: Made) => made.operator_token]) {
    const made = await create();
    const again = await run(["operator", "create", "ada", "--role", "viewer"]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^There is an operator ada already\./);
    const revoked = await json<{ operator_id: string; state: string }>(["operator", "revoke", key(made)]);
    assert.deepEqual([revoked.operator_id, revoked.state], [made.operator_id, "revoked"]);
    const twice = await run(["operator", "revoke", made.operator_id]);
    assert.equal(twice.code, 0);
    assert.match(twice.stderr, /had already been revoked/);
  }
  const { entries } = await json<{ entries: { what: string; detail: object }[] }>(["audit", "list"]);
  assert.deepEqual(entries.at(-2)?.detail, { name: "ada", role: "owner", expires_at: null });
});

test("an operator who does not exist is not found, and what was typed is repeated only if it is an id", async (t) => {
  const { run } = terminal(t);
  await run(["org", "create", "Acme"]);
  for (const [given, says] of [
    ["bob", /^There is no such operator\. "datarun operator list" shows those that exist\.\n$/],
    [`dop_${"0".repeat(49)}`, /^There is no such operator\./],
    [`opr_${"0".repeat(32)}`, /^There is no operator opr_0+\. /],
  ] as const) {
    const { code, stderr } = await run(["operator", "revoke", given]);
    assert.equal(code, 1);
    assert.match(stderr, says);
  }
});

test("a name has no blanks, and no characters that are drawn like others", async (t) => {
  const { run } = terminal(t);
  await run(["org", "create", "Acme"]);
  const refused = ["", "a b", "a\u202eb", "а", "<script>", "a/b", "-x", "opr_1", "dop_1", "a\n", "x".repeat(65)];
  for (const name of refused) {
    const { code, stderr } = await run(["operator", "create", "--role", "viewer", "--", name]);
    assert.equal(code, 2, JSON.stringify(name));
    assert.match(stderr, /^NAME must be a name of at most 64 letters/);
  }
  for (const name of ["ada@acme.example", "ci-bot_2", "x".repeat(64)])
    assert.equal((await run(["operator", "create", name, "--role", "viewer"])).code, 0, name);
});
