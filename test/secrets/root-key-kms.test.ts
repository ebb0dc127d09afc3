import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { startCommand } from "../rig/command.ts";
import { LAUNCHER } from "../start/operator-verb.ts";
import { startVault } from "./vault.ts";

/** The command in a process of its own, beside the vault of this one. */
async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { env: { PATH: process.env["PATH"], ...env } });
  const printed = { out: "", err: "" };
  child.stdout.on("data", (text: Buffer) => (printed.out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (printed.err += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...printed };
}

async function rig(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-kms-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const vault = await startVault(t);
  const env = {
    DATARUN_DATA_DIR: dataDir,
    DATARUN_ROOT_KEY_KMS: "vault-transit://transit/datarun",
    VAULT_ADDR: vault.address,
    VAULT_TOKEN: vault.token,
  };
  const verb = async (ofKeys: string, ...args: string[]) => {
    const { code, out, err } = await run({ ...env, DATARUN_ROOT_KEY: ofKeys }, ...args, "--json");
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  return { vault, env, verb };
}

test("the root key is decrypted by the key management service, and rotated as any other", async (t) => {
  const { vault, env, verb } = await rig(t);
  const [first, second] = [randomBytes(32), randomBytes(32)].map((key) => vault.encrypt("datarun", key));
  await startCommand(t, [], { ...env, DATARUN_ROOT_KEY: `one:${first}` });
  const org = (await verb(`one:${first}`, "org", "create", "Acme"))["organization_tuid"];
  const create = ["credential", "create", "--org", org, "--source", "hibp__breached_account", "--set", "api_key=k"];
  await verb(`one:${first}`, ...create);
  assert.deepEqual((await verb(`one:${first}`, "keys", "verify"))["root_keys_in_use"], [{ id: "one", data_keys: 1 }]);
  const both = `two:${second},one:${first}`;
  await verb(both, "keys", "rotate");
  assert.deepEqual((await verb(both, "keys", "verify"))["root_keys_in_use"], [{ id: "two", data_keys: 1 }]);
});

test("a start without the key management service says why, and commands that need no keys work", async (t) => {
  const { vault, env } = await rig(t);
  const key = vault.encrypt("datarun", randomBytes(32));
  const start = (more: Readonly<Record<string, string>>) =>
    run({ ...env, DATARUN_ROOT_KEY: key, ...more }, "start", "--port", "0", "--admin-port", "0");
  const says = (why: string) =>
    `datarun cannot start: DATARUN_ROOT_KEY_KMS: a root key of DATARUN_ROOT_KEY cannot be decrypted: ${why}\n`;
  vault.fails = { status: 503, body: "{}" };
  assert.deepEqual(await start({}), { code: 1, out: "", err: says("the vault is sealed or in maintenance (503)") });
  vault.fails = null;
  assert.equal((await start({ VAULT_TOKEN: "wrong" })).err, says("the vault has refused access (403)"));
  assert.equal((await start({ VAULT_ADDR: "http://127.0.0.1:1" })).err, says("it cannot be reached (ECONNREFUSED)"));
  assert.match((await start({ DATARUN_ROOT_KEY: "vault:v1:other" })).err, /the vault has answered 400\n$/);
  const elsewhere = { DATARUN_ROOT_KEY_KMS: "vault-transit://other/datarun" };
  assert.equal((await start(elsewhere)).err, says("the vault has no key at this path"));
  const login = { VAULT_TOKEN: "", VAULT_ROLE_ID: "role-1", VAULT_NAMESPACE: "other" };
  assert.equal((await start(login)).err, says("the vault has no login at this path"));
  assert.match((await start({ DATARUN_ROOT_KEY_KMS: "vault://x" })).err, /must have the form vault-transit:/);
  assert.match((await start({ DATARUN_ROOT_KEY: "" })).err, /DATARUN_ROOT_KEY, the key encrypted by it, is not\n$/);
  assert.equal(
    (await run({ ...env, DATARUN_ROOT_KEY: key, VAULT_ADDR: "http://127.0.0.1:1" }, "source", "list")).code,
    0,
  );
});
