import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { Secrets } from "../rig/secrets.ts";
import { terminal } from "../cli/terminal.ts";

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
  await json(["workflow", "set", workflow, "--failure-details"]);
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
