import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { systemClock } from "../terms/time/clock.ts";
import { HostsFile, readHosts } from "./sockets/hosts-file.ts";
import { NameLookup } from "./sockets/name-lookup.ts";
import { isPublicAddress } from "./sockets/public-address.ts";
import { faultOf, openTestClient } from "./http-client.kit.ts";

const SPECIAL = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "168.63.129.16",
  "::ffff:168.63.129.16",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "4000::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "not an address",
  "",
];

for (const address of SPECIAL) {
  test(`${JSON.stringify(address)} is not public`, () => {
    assert.equal(isPublicAddress(address), false);
  });
}

for (const address of ["1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]) {
  test(`${address} is public`, () => {
    assert.equal(isPublicAddress(address), true);
  });
}

for (const address of SPECIAL.slice(0, -2)) {
  test(`a host name that leads to ${address} is not connected to`, async (t) => {
    const { call, http } = openTestClient(t, { resolve: async () => [address] }).call("https://api.acme.example");

    const fault = await faultOf(http.get("https://api.acme.example/"));

    assert.equal(fault.code, "source.unreachable");
    assert.match(String(fault.detail["problem"]), /private or special networks/);
    assert.equal(call.attempts.length, 0);
  });
}

test("an address that is checked is the address connected to, though the name changes its mind", async (t) => {
  const vendor = await startVendor(t);
  const origin = `http://rebind.example:${vendor.port}`;
  let asked = 0;
  const resolve = async () => [(asked += 1) === 1 ? "127.0.0.1" : "169.254.169.254"];
  const allowed = openTestClient(t, { resolve, allowPrivate: [origin] }).call(origin);

  assert.equal((await allowed.http.get(origin)).status, 200);
  assert.equal(asked, 1);
});

test("a name that leads to a public and a private address is never followed to the private one", async (t) => {
  const vendor = await startVendor(t);
  const origin = `http://both.example:${vendor.port}`;
  const door = openTestClient(t, { resolve: async () => ["192.0.2.1", "127.0.0.1"], limits: { connectMaxMs: 100 } });

  const fault = await faultOf(door.call(origin).http.get(origin));

  assert.equal(fault.code, "source.unreachable");
  assert.equal(vendor.connections, 0);
});

test("a pattern never leads into a private network, even where the exact origin may", async (t) => {
  const vendor = await startVendor(t);
  const origin = `http://a.corp.example:${vendor.port}`;
  const door = openTestClient(t, { resolve: async () => ["127.0.0.1"], allowPrivate: [origin] });

  assert.equal((await door.call(origin).http.get(origin)).status, 200);
  const fault = await faultOf(door.call(`http://*.corp.example:${vendor.port}`).http.get(origin));

  assert.equal(fault.code, "source.unreachable");
  assert.equal(vendor.count(), 1);
});

test("localhost and address literals need no name server", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t, { resolve: () => Promise.reject(new Error("not asked")) });

  for (const origin of [vendor.origin, `http://localhost:${vendor.port}`]) {
    assert.equal((await door.call(origin).http.get(origin)).status, 200);
  }
});

test("after a refused address the next one is tried", async (t) => {
  const vendor = await startVendor(t);
  const origin = `http://two.example:${vendor.port}`;
  const door = openTestClient(t, { resolve: async () => ["127.0.0.9", "::1", "127.0.0.1"], allowPrivate: [origin] });

  assert.equal((await door.call(origin).http.get(origin)).status, 200);
});

test("a name that does not resolve is unreachable, and is asked for again", async (t) => {
  let asked = 0;
  const door = openTestClient(t, {
    resolve: () => {
      asked += 1;
      return Promise.reject(new Error("no such name"));
    },
  });
  const { http } = door.call("https://gone.example");

  for (const turn of [1, 2]) {
    assert.equal((await faultOf(http.get("https://gone.example/"))).code, "source.unreachable");
    assert.equal(asked, turn);
  }
});

test("many questions for one name are one question, and its answer is kept for a while", async () => {
  let asked = 0;
  let now = 0;
  const names = new NameLookup({
    clock: { ...systemClock, now: () => now },
    resolve: async () => [`192.0.2.${(asked += 1)}`],
    hosts: new HostsFile(systemClock, "/nonexistent"),
    timeoutMs: 1_000,
    cacheMs: 30_000,
  });

  await Promise.all(Array.from({ length: 10 }, () => names.addressesOf("api.acme.example")));
  now = 29_999;
  assert.deepEqual(await names.addressesOf("api.acme.example"), ["192.0.2.1"]);
  now = 30_001;
  assert.deepEqual(await names.addressesOf("api.acme.example"), ["192.0.2.2"]);
});

test("an organization that looks up names without end evicts only its own names", async () => {
  const asked = new Map<string, number>();
  const names = new NameLookup({
    clock: { ...systemClock, now: () => 0 },
    resolve: async (name) => (asked.set(name, (asked.get(name) ?? 0) + 1), ["192.0.2.1"]),
    hosts: new HostsFile(systemClock, "/nonexistent"),
    timeoutMs: 1_000,
    cacheMs: 30_000,
  });
  const others = [["api.declared.example"], ["mine.pattern.example", "org_b"]] as const;
  for (const [name, owner] of others) await names.addressesOf(name, owner);
  for (let count = 0; count < 2_500; count += 1) await names.addressesOf(`a${count}.pattern.example`, "org_a");

  for (const [name, owner] of others) await names.addressesOf(name, owner);
  assert.deepEqual(
    others.map(([name]) => asked.get(name)),
    [1, 1],
  );
  await names.addressesOf("a2499.pattern.example", "org_b");
  await names.addressesOf("a0.pattern.example", "org_a");
  assert.deepEqual([asked.get("a2499.pattern.example"), asked.get("a0.pattern.example")], [1, 2]);
});

test("a dead name costs its own limit and holds up no other", async () => {
  const names = new NameLookup({
    clock: systemClock,
    resolve: (name) => (name === "dead.example" ? new Promise(() => {}) : Promise.resolve(["192.0.2.1"])),
    hosts: new HostsFile(systemClock, "/nonexistent"),
    timeoutMs: 30,
    cacheMs: 1_000,
  });
  const dead = assert.rejects(names.addressesOf("dead.example"), /took too long/);

  assert.deepEqual(await names.addressesOf("live.example"), ["192.0.2.1"]);
  await dead;
});

test("the hosts file comes before the name servers", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "hosts-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "hosts"), "127.0.0.1 Vendor.internal other # a comment\n");
  const vendor = await startVendor(t);
  const origin = `http://vendor.internal:${vendor.port}`;
  const door = openTestClient(t, {
    hostsPath: join(folder, "hosts"),
    resolve: () => Promise.reject(new Error("not asked")),
    allowPrivate: [origin],
  });

  assert.equal((await door.call(origin).http.get(origin)).status, 200);
});

test("a hosts file may hold comments, tabs, several names and nonsense", () => {
  const names = readHosts("# x\n\n127.0.0.1\tlocalhost a\n::1 localhost a\nnonsense b\n10.0.0.1 a #c\r\n");

  assert.deepEqual(names.get("a"), ["127.0.0.1", "::1", "10.0.0.1"]);
  assert.equal(names.get("b"), undefined);
  assert.equal(names.get("c"), undefined);
});
