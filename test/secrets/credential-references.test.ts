import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { sendsCredential } from "../rig/sources.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { startVault } from "./vault.ts";

const SOURCE = "acme__people";

/** A vendor that takes one key, a vault, a folder for files, and a service that uses both. */
async function rig(t: TestContext, login: "token" | "AppRole" | "Kubernetes" = "token") {
  const folder = mkdtempSync(join(tmpdir(), "datarun-secrets-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const accepted = { key: "key-of-the-vendor-1" };
  const vendor = await startVendor(t, {
    otherwise: (socket, request) =>
      json({}, { status: request.headers["x-api-key"] === accepted.key ? 200 : 401 })(socket, request),
  });
  const vault = await startVault(t, { namespace: "team" });
  const podToken = join(folder, "pod-token");
  writeFileSync(podToken, `${vault.podToken}\n`);
  const service = await startService(t, {
    sources: [sendsCredential(SOURCE, vendor, "/")],
    vendors: [vendor],
    settings: { "secrets.files": folder, "secrets.ttl_ms": 1_000 },
    environment: {
      VAULT_ADDR: vault.address,
      VAULT_NAMESPACE: "team",
      ...{
        token: { VAULT_TOKEN: vault.token },
        AppRole: { VAULT_ROLE_ID: vault.appRole.roleId, VAULT_SECRET_ID: vault.appRole.secretId },
        Kubernetes: { VAULT_KUBERNETES_ROLE: "datarun", VAULT_KUBERNETES_TOKEN_FILE: podToken },
      }[login],
    },
  });
  for (const secret of [accepted.key, vault.token, vault.podToken, vault.appRole.secretId]) service.secrets.add(secret);
  const admin = adminPort(t, service.adminUrl, service.secrets);
  const operator = await service.operator.appoint("owner");
  const refer = async (reference: string) => {
    const input = { org: service.a.id, source: SOURCE, ref: [`api_key=${reference}`], default: true };
    const { cred_id: id } = await admin.result("credential create", input, operator);
    // A change in the store is seen within 200 ms.
    while ((await explain()).cred_id !== id) await new Promise((resolve) => setTimeout(resolve, 20));
    return id as string;
  };
  const ask = async () => {
    const reply = await service.run({ [SOURCE]: {} });
    const { success, message } = reply.json().status[SOURCE];
    return success === true ? "answered" : message;
  };
  const explain = async () => {
    const input = { workflow: service.a.workflow, source: SOURCE };
    return admin.result("credential explain", input, operator);
  };
  return { folder, accepted, vendor, vault, service, admin, operator, refer, ask, explain };
}

const UNAVAILABLE = "Adapter error: the credentials of this source cannot be looked up now";

test("a field is read from a vault, and is in no file and no answer", async (t) => {
  const { accepted, vault, refer, ask, explain } = await rig(t);
  vault.secrets.set("kv/acme", { key: accepted.key });
  const id = await refer("vault://kv/acme#key");
  assert.equal(await ask(), "answered");
  assert.equal(await ask(), "answered");
  assert.deepEqual(vault.requests, ["kv/data/acme"]);

  const explained = await explain();
  const [{ age_s, ...reference }] = explained.references;
  assert.deepEqual(reference, { field: "api_key", reference: "vault://kv/acme#key", problem: null });
  assert.ok(age_s >= 0);
  assert.deepEqual([explained.cred_id, explained.usable], [id, true]);
});

test("while the vault is sealed the last value is used; if it refuses, nothing is sent", async (t) => {
  const { accepted, vendor, vault, refer, ask, explain } = await rig(t);
  vault.secrets.set("kv/acme", { key: accepted.key });
  await refer("vault://kv/acme#key");
  assert.equal(await ask(), "answered");
  vault.fails = { status: 503, body: '{"errors":["Vault is sealed"]}' };
  await readAgain(vault, ask);
  assert.equal(await ask(), "answered");
  assert.equal((await explain()).references[0].problem, "the vault is sealed or in maintenance (503)");
  vault.fails = { status: 403, body: '{"errors":["permission denied"]}' };
  await readAgain(vault, ask);
  const sent = vendor.count();
  assert.equal(await ask(), UNAVAILABLE);
  assert.equal(vendor.count(), sent);
  const { references, usable } = await explain();
  assert.deepEqual([references[0].problem, usable], ["the vault has refused access (403)", false]);
});

/** Asks until the vault was asked once more. */
async function readAgain(vault: { readonly requests: readonly string[] }, ask: () => Promise<unknown>): Promise<void> {
  const before = vault.requests.length;
  while (vault.requests.length === before) {
    await ask();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

for (const [login, path] of [
  ["AppRole", "auth/approle/login"],
  ["Kubernetes", "auth/kubernetes/login"],
] as const)
  test(`with ${login} the service logs in once, and again when its login was revoked`, async (t) => {
    const { accepted, vault, refer, ask } = await rig(t, login);
    vault.secrets.set("kv/acme", { key: accepted.key });
    await refer("vault://kv/acme#key");
    assert.equal(await ask(), "answered");
    vault.revokeLogins();
    await readAgain(vault, ask);
    assert.equal(await ask(), "answered");
    assert.equal(vault.requests.filter((each) => each === path).length, 2);
  });

test("replies that are no secret fail the call before anything is sent", async (t) => {
  const { vendor, vault, service, refer, ask, explain } = await rig(t);
  const text = service.secrets.add("planted-text-of-the-vault");
  for (const [status, body, problem] of [
    [200, text, "the vault has answered something that is not JSON"],
    [200, `{"data":"${text}"}`, "the vault's reply has no secret"],
    [200, `{"data":{"data":{"other":"${text}"}}}`, 'the secret has no text "key"'],
    [200, `{"data":{"data":{"key":["${text}"]}}}`, 'the secret has no text "key"'],
    [200, text.repeat(50_000), "its reply cannot be read"],
    // `Response` takes neither of these.
    [205, text, "its reply cannot be read"],
    [999, text, "its reply cannot be read"],
  ] as const) {
    vault.fails = { status, body };
    // Another secret each time, because a failure is remembered for seconds.
    await refer(`vault://kv/acme-${vault.requests.length}#key`);
    assert.equal(await ask(), UNAVAILABLE);
    assert.equal((await explain()).references[0].problem, problem);
  }
  assert.equal(vendor.count(), 0);
});

test("a field is read from a file, which may be replaced, and from no other folder", async (t) => {
  const { folder, accepted, service, refer, ask, explain } = await rig(t);
  const file = join(folder, "acme");
  writeFileSync(file, `${accepted.key}\n`);
  await refer(`file:${file}`);
  assert.equal(await ask(), "answered");
  accepted.key = service.secrets.add("key-of-the-vendor-2");
  writeFileSync(`${file}.new`, JSON.stringify({ key: accepted.key }));
  renameSync(`${file}.new`, file);
  await refer(`file://${file}#key`);
  assert.equal(await ask(), "answered");

  const elsewhere = join(service.dataDir, "service.log");
  symlinkSync(elsewhere, join(folder, "link"));
  for (const path of [elsewhere, join(folder, "link"), join(folder, "../x")]) {
    await refer(`file:${path}`);
    assert.equal(await ask(), UNAVAILABLE);
    assert.match((await explain()).references[0].problem, /none of the folders|no such file/);
  }
});

test("lists and the audit trail show where a value is, and a mistake shows nothing of it", async (t) => {
  const { service, admin, operator, refer } = await rig(t);
  const id = await refer("vault://kv/acme#key");
  const { credentials } = await admin.result("credential list", { org: service.a.id }, operator);
  const listed = credentials.find(({ cred_id }: { cred_id: string }) => cred_id === id);
  assert.deepEqual([listed.fields, listed.references], [["api_key"], { api_key: "vault://kv/acme#key" }]);
  const planted = service.secrets.add("planted-key-in-place-of-a-reference");
  for (const input of [
    { ref: [`api_key=${planted}`] },
    { ref: ["api_key=vault://kv/acme#key"], fields: { api_key: planted } },
    { fields: { api_key: { $datarun_reference: "vault://kv/acme#key" } } },
    {},
  ]) {
    const reply = await admin.call(
      "credential create",
      { org: service.a.id, source: SOURCE, ...input },
      { as: operator },
    );
    assert.equal(reply.statusCode, 422, reply.text);
  }
});
