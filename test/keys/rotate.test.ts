import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { command } from "../start/operator-verb.ts";
import { deploy, type Deployment, type Process } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { startVendor, type Vendor } from "../vendor/scripted-vendor.ts";

const SECRET = "vendor-key-0123456789";

/** A deployment whose sources send their stored credential to a vendor. */
async function keyed(t: TestContext, names: readonly string[]): Promise<{ vendor: Vendor; deployment: Deployment }> {
  const vendor = await startVendor(t);
  const files = names.map((name) => [
    `sources/${name}.mjs`,
    `export default { id: "acme__${name}", title: "T", origins: ["${vendor.origin}"], inputs: { type: "object" },
       credentials: { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] },
       run: ({ http, credentials }) => http.get("${vendor.origin}/${name}", { headers: { "x-api-key": credentials.api_key } }) };`,
  ]);
  const folder = project(t, Object.fromEntries(files));
  const deployment = await deploy(t, { project: folder });
  await deployment.operate(async (operator) => {
    for (const name of names) await operator.storeCredential(deployment.access, credentialOf(name));
  });
  return { vendor, deployment };
}

const credentialOf = (name: string) => ({ source: `acme__${name}`, fields: { api_key: SECRET }, isDefault: true });

async function assertWorks(service: Process, vendor: Vendor, name: string): Promise<void> {
  const { status } = (await service.run({ [`acme__${name}`]: true })).json();
  assert.deepEqual([status[`acme__${name}`].success, status[`acme__${name}`].message], [true, "Record found"]);
  assert.equal(vendor.requests.at(-1)!.headers["x-api-key"], SECRET);
}

test("keys are rotated under load without a failed run, and the old root key can go", async (t) => {
  const { vendor, deployment } = await keyed(t, ["warm", "cold", "last"]);
  const service = await deployment.start();
  await assertWorks(service, vendor, "warm");
  let over = false;
  let runs = 0;
  const clients = Array.from({ length: 6 }, async () => {
    while (!over) {
      const reply = await service.run({ acme__warm: true });
      assert.equal(reply.json().status?.["acme__warm"].success, true, reply.text);
      runs += 1;
    }
  });

  const rotated = await deployment.verb("keys", "rotate", "--new-data-keys");
  assert.deepEqual(
    [rotated.made_root_key, rotated.data_keys_made, rotated.credentials_resealed, rotated.unreadable],
    [true, 1, 3, []],
  );
  await assertWorks(service, vendor, "cold");
  const verified = await deployment.verb("keys", "verify");
  assert.equal(verified.removable.length, 1);
  assert.deepEqual(verified.unreadable, []);
  assert.deepEqual((await deployment.verb("keys", "remove-old")).removed, verified.removable);
  await assertWorks(service, vendor, "last");
  await until(() => runs > 20);
  over = true;
  await Promise.all(clients);
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);

  assert.deepEqual(
    readdirSync(deployment.dataDir).filter((name) => name.endsWith(".key")),
    ["root-2.key"],
  );
  const restarted = await deployment.start();
  for (const name of ["warm", "cold", "last"]) await assertWorks(restarted, vendor, name);
  const acts = await deployment.verb("audit", "list");
  const done = acts.entries.map(({ what }: { what: string }) => what);
  for (const act of ["keys rotate", "keys remove-old"]) assert.ok(done.includes(act), done.join());
});

test("a credential row that was moved or altered in the database is not used, and the log says why", async (t) => {
  const { vendor, deployment } = await keyed(t, ["altered", "moved", "sound", "other"]);
  const theirs = await deployment.operate(async (operator) =>
    operator.storeCredential(await operator.createOrganization("Other"), credentialOf("other")),
  );
  const database = new DatabaseSync(join(deployment.dataDir, "store.sqlite"));
  const { sealed } = database.prepare("SELECT sealed FROM credentials WHERE source = 'acme__altered'").get() as {
    sealed: string;
  };
  const flipped = Buffer.from(sealed, "base64");
  flipped[flipped.length - 20]! ^= 1;
  database.prepare("UPDATE credentials SET sealed = ? WHERE source = 'acme__altered'").run(flipped.toString("base64"));
  // To another source of the same organization, and to the same source of another organization.
  database
    .prepare(
      "UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE source = 'acme__sound') WHERE source = 'acme__moved'",
    )
    .run();
  database.prepare("DELETE FROM credentials WHERE source = 'acme__other' AND id <> ?").run(theirs);
  database.prepare("UPDATE credentials SET organization_id = ? WHERE id = ?").run(deployment.access.id, theirs);
  database.close();

  const service = await deployment.start();
  const names = ["altered", "moved", "other"];
  const reply = await service.run(Object.fromEntries([...names, "sound"].map((name) => [`acme__${name}`, true])));
  const { status } = reply.json();
  for (const name of names) {
    assert.equal(status[`acme__${name}`].success, false, name);
    assert.match(status[`acme__${name}`].message, /^Adapter error:/);
  }
  assert.equal(status["acme__sound"].success, true);
  assert.deepEqual(
    vendor.requests.map(({ path }) => path),
    ["/sound"],
  );
  service.signal("SIGTERM");
  await service.ended;
  const line = service.log().find(({ event }) => event === "run");
  const calls = line!["calls"] as { source: string; fault?: string; detail?: { reason?: string } }[];
  for (const name of names) {
    const call = calls.find(({ source }) => source === `acme__${name}`)!;
    assert.equal(call.fault, "source.credential_missing");
    assert.ok(call.detail?.reason, `${name}: the log gives a reason`);
  }
  const verified = command({ DATARUN_DATA_DIR: deployment.dataDir }, "keys", "verify", "--json");
  assert.equal(verified.code, 1, "what cannot be opened is a failure");
  assert.equal((JSON.parse(verified.stdout) as { unreadable: object[] }).unreadable.length, 3);
});

test("without its root key, or with a wrong one, a service with stored credentials does not start, and says where the key belongs", async (t) => {
  const { deployment } = await keyed(t, ["one"]);
  const file = join(deployment.dataDir, "root-1.key");
  const key = readFileSync(file, "utf8");
  const refused = async () => {
    const service = await deployment.start({ listening: false });
    assert.equal((await service.ended).code, 1);
    assert.ok(!service.stderr().includes("    at "), "a stack is no help to an operator");
    return service.stderr();
  };

  renameSync(file, `${file}.away`);
  assert.match(await refused(), /no root key file.*DATARUN_ROOT_KEY/);
  assert.ok(!existsSync(file), "no new key was made over what another sealed");
  const [id] = key.trim().split(":");
  writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  assert.match(await refused(), /does not hold the root key.*DATARUN_ROOT_KEY/);
  writeFileSync(file, `${id}:${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  assert.match(await refused(), /not the one that stored credentials depend on/);
  writeFileSync(file, "short\n", { mode: 0o600 });
  assert.match(await refused(), /root-1\.key/);
  writeFileSync(file, key, { mode: 0o600 });
  chmodSync(file, 0o644);
  assert.match(await refused(), /root-1\.key has mode 644/);
  chmodSync(file, 0o600);
  const service = await deployment.start();
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
});
