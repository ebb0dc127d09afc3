import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { Secrets } from "../rig/secrets.ts";
import { terminal } from "../cli/terminal.ts";

test("acts are found by words and people by the beginning of a name, and what matches nothing is said truly", async (t) => {
  const { json, run } = terminal(t);
  const me = userInfo().username;
  const org = (await json<{ organization_tuid: string }>(["org", "create", "Acme"])).organization_tuid;
  const create = ["credential", "create", "--org", org, "--source", "acme__people", "--set", "api_key=abcd1234"];
  const { cred_id: credential } = await json<{ cred_id: string }>(create);
  const price = ["credential", "price", "set", credential, "--amount", "1", "--currency", "EUR"];
  for (const from of ["2026-01-01", "2026-02-01"]) await json([...price, "--from", from]);
  await json(["credential", "price", "remove", credential, "--from", "2026-01-01"]);
  const listed = async (...filter: string[]) =>
    (await json<{ entries: Entry[] }>(["audit", "list", ...filter])).entries.map(({ what }) => what);

  const [removed, set] = ["credential price remove", "credential price set"];
  assert.deepEqual(await listed("--what", "price"), [removed, set, set]);
  assert.deepEqual(await listed("--what", "SET price"), [set, set]);
  assert.deepEqual(await listed("--what", "credential", "--limit", "2"), [removed, set]);
  assert.deepEqual(await listed("--who", me.slice(0, 3), "--what", "org"), ["org create"]);
  assert.deepEqual(await listed("--who", me.toUpperCase(), "--what", "create"), ["credential create", "org create"]);

  // What comes after the first page is the same, in whatever lists it was read.
  const page = await json<{ entries: Entry[]; next: string }>(["audit", "list", "--what", "price", "--limit", "1"]);
  assert.deepEqual(await listed("--what", "price", "--after", page.next), [set, set]);

  const misspelled = await run(["audit", "list", "--what", "pirce"]);
  assert.match(misspelled.stderr, /The trail has no act with the word "pirce"\. Near it: price\./);
  const unknown = await json<{ entries: object[]; unknown: object }>(["audit", "list", "--what", "pirce"]);
  assert.deepEqual(unknown.entries, []);
  assert.deepEqual(unknown.unknown, {
    of: "what",
    says: 'The trail has no act with the word "pirce".',
    near: ["price"],
  });
  const nobody = await run(["audit", "list", "--who", "zoe"]);
  assert.match(nobody.stderr, /The trail has no name that begins with "zoe"\./);
  assert.deepEqual(await listed("--what", "price", "--to", "2001-01-01"), []);
});

interface Entry {
  readonly what: string;
  readonly who: string;
  readonly via: string;
  readonly organization_tuid: string | null;
  readonly subject: string;
}

test("every act of an administrator is on the audit trail, with who did it, to what, and no secret", async (t) => {
  const { json, run } = terminal(t);
  const secrets = new Secrets();
  const org = (await json<{ organization_tuid: string }>(["org", "create", "Acme"])).organization_tuid;
  const made = await json<{ token_id: string; access_token: string }>(["token", "create", "--org", org]);
  secrets.add(made.access_token);
  await json(["token", "revoke", made.token_id]);
  const { workflow } = await json<{ workflow: string }>(["workflow", "create", "--org", org]);
  await json(["workflow", "set", workflow, "--no-failure-details"]);
  await json(["workflow", "disable", workflow]);
  await json(["workflow", "enable", workflow]);
  const env = { VENDOR_KEY: secrets.add("audited-vendor-key-123") };
  const create = ["credential", "create", "--org", org, "--source", "acme__people", "--set-env", "api_key=VENDOR_KEY"];
  const credential = (await json<{ cred_id: string }>(create, { env })).cred_id;
  for (const act of ["disable", "enable", "delete"]) await json(["credential", act, credential]);
  await json(["keys", "rotate"]);
  await json(["keys", "remove-old"]);
  // What changes nothing leaves nothing.
  await json(["token", "list", "--org", org]);
  assert.notEqual((await run(["workflow", "disable", `wfl_${"0".repeat(32)}`])).code, 0);

  const { entries } = await json<{ entries: Entry[] }>(["audit", "list"]);
  assert.deepEqual(
    entries.toReversed().map(({ what }) => what),
    [
      "org create",
      "token create",
      "token revoke",
      "workflow create",
      "workflow set",
      "workflow disable",
      "workflow enable",
      "credential create",
      "credential disable",
      "credential enable",
      "credential delete",
      "keys rotate",
      "keys remove-old",
      "keys remove-old",
    ],
  );
  for (const entry of entries) {
    assert.equal(entry.who, userInfo().username);
    assert.equal(entry.via, "cli");
    assert.equal(entry.organization_tuid, entry.what.startsWith("keys") ? null : org, entry.what);
  }
  secrets.assertAbsent("the audit trail", JSON.stringify(entries));
});
