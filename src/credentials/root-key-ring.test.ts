import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { MemoryStore } from "./memory-store.kit.ts";
import { formatRootKey, RootKeyError } from "./root-key.ts";
import { RootKeyFiles } from "./root-key-files.ts";
import { openRootKeys } from "./root-keys.kit.ts";
import { wrapDataKey, type NamedKey } from "./seal.ts";

function directoryOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "root-keys-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function keyNamed(id: string): NamedKey {
  return { id, bytes: randomBytes(32) };
}

async function storeWrappedBy(rootKey: NamedKey): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.addDataKey(wrapDataKey(rootKey, keyNamed("key_1"), "org_1"));
  return store;
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const thrown = await promise.then(
    () => assert.fail("it started"),
    (reason: unknown) => reason,
  );
  assert.ok(thrown instanceof RootKeyError, String(thrown));
  return thrown.message;
}

test("the first start on an embedded store makes a key that only its owner can read, and later ones read it", async (t) => {
  const directory = join(directoryOf(t), "not", "there", "yet");
  const options = { variable: undefined, directory, store: new MemoryStore() };
  const first = await openRootKeys(options);
  const second = await openRootKeys(options);
  assert.deepEqual(second.current(), first.current());
  assert.deepEqual(readdirSync(directory), ["root-1.key"]);
  assert.equal(statSync(join(directory, "root-1.key")).mode & 0o777, 0o600);
});

test("processes that race for the first start get one key", async (t) => {
  const directory = directoryOf(t);
  const script = `
    const { openRootKeys } = await import(${JSON.stringify(new URL("root-keys.kit.ts", import.meta.url).href)});
    const store = { rootKeyIdsInUse: async () => [], dataKeysAfter: async () => [] };
    const ring = await openRootKeys({ variable: undefined, directory: process.argv[1], store });
    process.stdout.write(ring.current().id);`;
  const ids = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, directory], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let id = "";
      child.stdout.on("data", (text: Buffer) => (id += text.toString()));
      await once(child, "close");
      return id;
    }),
  );
  assert.equal(new Set(ids).size, 1);
  assert.match(ids[0]!, /^root_/);
  assert.deepEqual(readdirSync(directory), ["root-1.key"], "and leave no draft behind");
});

test("a key is added only after the newest one that the process has read", (t) => {
  const files = new RootKeyFiles(directoryOf(t));
  assert.equal(files.add(undefined), true);
  assert.equal(files.add(undefined), false, "the first one, made by another process since");
  const [first] = files.read();
  assert.equal(files.add(first), true);
  assert.equal(files.add(first), false, "the next one, made by another process since");
  assert.deepEqual(readdirSync(files.directory).sort(), ["root-1.key", "root-2.key"]);
});

test("a key file that another process removes while keys are read is no error", async (t) => {
  const [files, others] = [new RootKeyFiles(directoryOf(t)), new RootKeyFiles(directoryOf(t))];
  files.add(undefined);
  others.add(undefined);
  const [kept] = files.read();
  const script = `
    import { linkSync, rmSync } from "node:fs";
    const [key, directory] = process.argv.slice(1);
    for (let number = 2; ; number += 1) {
      linkSync(key, directory + "/root-" + number + ".key");
      rmSync(directory + "/root-" + number + ".key");
    }`;
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", script, join(others.directory, "root-1.key"), files.directory],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  t.after(() => child.kill("SIGKILL"));
  const reads = { withOther: 0, alone: 0 };
  while (reads.withOther < 500 || reads.alone < 500) {
    const keys = files.read();
    assert.deepEqual(keys.at(-1), kept);
    reads[keys.length > 1 ? "withOther" : "alone"] += 1;
  }
  child.kill("SIGKILL");
  await once(child, "close");
});

test("a key file that is there but leads nowhere is an error", (t) => {
  const files = new RootKeyFiles(directoryOf(t));
  files.add(undefined);
  symlinkSync(join(files.directory, "not-mounted"), join(files.directory, "root-2.key"));
  assert.throws(() => files.read(), /ENOENT.*root-2\.key/);
});

test("a key file that others can read is refused, and the message says what to do", async (t) => {
  const directory = directoryOf(t);
  await openRootKeys({ variable: undefined, directory, store: new MemoryStore() });
  for (const mode of [0o644, 0o640, 0o602, 0o700]) {
    chmodSync(join(directory, "root-1.key"), mode);
    const message = await refusal(openRootKeys({ variable: undefined, directory, store: new MemoryStore() }));
    assert.match(message, new RegExp(`root-1\\.key has mode ${mode.toString(8)}.*chmod 600`));
  }
});

test("a key file with a stricter mode is accepted, an empty or truncated one is refused", async (t) => {
  const directory = directoryOf(t);
  const options = { variable: undefined, directory, store: new MemoryStore() };
  await openRootKeys(options);
  const path = join(directory, "root-1.key");
  const text = readFileSync(path, "utf8");
  chmodSync(path, 0o400);
  await openRootKeys(options);
  chmodSync(path, 0o600);
  writeFileSync(path, "");
  assert.match(await refusal(openRootKeys(options)), /root-1\.key is empty/);
  writeFileSync(path, text.slice(0, 30));
  assert.match(await refusal(openRootKeys(options)), /root-1\.key/);
});

test("with a shared database the key must be given", async () => {
  for (const variable of [undefined, "", "  "]) {
    const message = await refusal(openRootKeys({ variable, directory: null, store: new MemoryStore() }));
    assert.match(message, /^DATARUN_ROOT_KEY must be given with DATABASE_URL/);
  }
});

test("a start with data keys but without their root key is refused, and no new root key is made", async (t) => {
  const directory = directoryOf(t);
  const store = await storeWrappedBy(keyNamed("k1"));
  const message = await refusal(openRootKeys({ variable: undefined, directory, store }));
  assert.match(message, /no root key file.*DATARUN_ROOT_KEY/);
  assert.deepEqual(readdirSync(directory), []);
});

test("a start with a root key that the data keys do not depend on is refused, by its id or by what it opens", async () => {
  const right = keyNamed("k1");
  const store = await storeWrappedBy(right);
  const start = (key: NamedKey) => openRootKeys({ variable: formatRootKey(key), directory: null, store });
  assert.match(await refusal(start(keyNamed("k2"))), /DATARUN_ROOT_KEY does not hold the root key k1/);
  assert.match(
    await refusal(start(keyNamed("k1"))),
    /DATARUN_ROOT_KEY has a root key with the id k1, but it is not the one/,
  );
  assert.equal((await start(right)).current().id, "k1");
});

test("one altered row does not prevent a start if another proves the key", async () => {
  const right = keyNamed("k1");
  const store = await storeWrappedBy(right);
  store.keys.set("key_0", { ...wrapDataKey(right, keyNamed("key_0"), "org_2"), organizationId: "org_3" });
  await openRootKeys({ variable: formatRootKey(right), directory: null, store });
});

test("the first key of a list seals and all open", async () => {
  const older = keyNamed("old");
  const newer = keyNamed("new");
  const store = await storeWrappedBy(older);
  const variable = `${formatRootKey(newer)},${formatRootKey(older)}`;
  const ring = await openRootKeys({ variable, directory: null, store });
  assert.deepEqual(ring.current(), newer);
  assert.deepEqual(ring.find("old"), older);
  assert.equal(ring.find("__proto__"), undefined);
});

test("on an embedded store with key files a variable only opens, until it is adopted or in use", async (t) => {
  const directory = directoryOf(t);
  const embedded = await openRootKeys({ variable: undefined, directory, store: new MemoryStore() });
  const store = await storeWrappedBy(embedded.current());
  const given = keyNamed("given");
  const options = { variable: formatRootKey(given), directory, store };
  const stray = await openRootKeys(options);
  assert.deepEqual(stray.current(), embedded.current());
  assert.deepEqual(stray.find("given"), given);
  const adopted = await openRootKeys({ ...options, adopt: true });
  assert.deepEqual(adopted.current(), given);
  assert.deepEqual(adopted.find(embedded.current().id), embedded.current());

  await store.addDataKey(wrapDataKey(given, keyNamed("key_2"), "org_2"));
  assert.deepEqual((await openRootKeys(options)).current(), given);
});

test("a running service finds a root key that another process has added, and keeps working if the files disappear", async (t) => {
  const directory = directoryOf(t);
  const ring = await openRootKeys({ variable: undefined, directory, store: new MemoryStore() });
  const first = ring.current();
  assert.equal(new RootKeyFiles(directory).add(first), true);
  const added = new RootKeyFiles(directory).read()[0]!;
  assert.notEqual(added.id, first.id);
  assert.deepEqual(ring.current(), first);
  assert.deepEqual(ring.find(added.id), added);
  assert.deepEqual(ring.current(), added);
  rmSync(join(directory, "root-1.key"));
  rmSync(join(directory, "root-2.key"));
  ring.reload();
  assert.deepEqual(ring.current(), added);
});

test("a key that is added to the variable's file seals without a restart, and a broken file changes nothing", async () => {
  const [one, two] = ["one", "two"].map((id) => formatRootKey({ id, bytes: randomBytes(32) }));
  let variable = one!;
  const ring = await openRootKeys({ variable, reread: () => variable, directory: null, store: new MemoryStore() });
  variable = `${two},${one}`;
  assert.equal(ring.current().id, "one");
  assert.equal(ring.find("two")?.id, "two");
  assert.equal(ring.current().id, "two");
  variable = "broken";
  assert.equal(ring.find("three"), undefined);
  assert.deepEqual(
    ring.all().map(({ id }) => id),
    ["two", "one"],
  );
});
