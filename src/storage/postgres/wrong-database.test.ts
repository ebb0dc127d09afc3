import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { TLSSocket } from "node:tls";
import { Client, DatabaseError } from "pg";
import { issueCertificate } from "../../../test/vendor/certificate.ts";
import { newDatabase } from "../../../test/postgres/shared-postgres.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { ACT } from "../engines.kit.ts";
import type { OpenHow, StoreNews } from "../engine.ts";
import { openStore } from "../store.ts";
import { MIGRATIONS } from "../migrations/index.ts";
import { databaseAddressOf } from "./connection-options.ts";
import { openPostgres } from "./engine.ts";
import { judge } from "./wrong-database.ts";

/** A DNS label has at most 63 characters, so no resolver is used, not even one that would never answer. */
const UNKNOWN_HOST = `${"n".repeat(64)}.invalid`;

/** The report of opening the database, which must come immediately. */
async function refusal(t: TestContext, databaseUrl: string, how: OpenHow = {}): Promise<string> {
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock, ...how });
  t.after(() => store.close());
  const error = await store.ready().then(
    () => assert.fail("it was taken"),
    (thrown: unknown) => thrown as Error,
  );
  assert.equal(store.health().says, error.message);
  return error.message;
}

async function query(databaseUrl: string, ...statements: readonly string[]) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

const TABLES = "select tablename from pg_tables where schemaname = 'public' order by 1";

/** A server that treats every connection in the same way. */
async function listener(t: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The reply of a PostgreSQL that refuses a connection. */
function refusing(code: string, message: string) {
  return (socket: Socket) => {
    const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
    const head = Buffer.alloc(5);
    head.write("E");
    head.writeInt32BE(fields.length + 4, 1);
    socket.once("data", () => socket.end(Buffer.concat([head, fields])));
  };
}

test("a missing database, and a user that the server refuses, are refused with a clear message, without the password", async (t) => {
  const url = await newDatabase(t);
  const absent = url.replace(/test_[0-9a-f]+/, "nodb");
  assert.match(await refusal(t, absent), /^The PostgreSQL at .+ has no database "nodb"\.$/);
  assert.match(
    await refusal(t, url.replace(/user=\w+/, "user=nobody")),
    /does not let the user "nobody" in: role "nobody" does not exist/,
  );

  const at = await listener(t, refusing("28P01", 'password authentication failed for user "ada"'));
  const said = await refusal(t, `postgres://ada:canary@${at}/crm`);
  assert.equal(said, `The PostgreSQL at ${at} does not take the password of the user "ada".`);
  const hba = await listener(t, refusing("28000", 'no pg_hba.conf entry for host "::1", no encryption\u001b[2J'));
  assert.equal(
    await refusal(t, `postgres://ada:canary@${hba}/crm`),
    `The PostgreSQL at ${hba} does not let the user "ada" in: no pg_hba.conf entry for host "::1", no encryption.`,
  );
});

test("a user without rights is refused with the right that is missing, and nothing is created", async (t) => {
  const url = await newDatabase(t);
  const user = `weak_${Date.now().toString(36)}`;
  await query(url, `create role ${user} login`);
  try {
    const said = await refusal(t, url.replace(/user=\w+/, `user=${user}`));
    assert.match(
      said,
      new RegExp(
        `^The user "${user}" lacks a right in the database "test_\\w+" at .+: permission denied for schema public\\.$`,
      ),
    );
    assert.deepEqual(await query(url, TABLES), []);
  } finally {
    await query(url, `drop role ${user}`);
  }
});

test("a database with tables of other software is refused and not changed", async (t) => {
  const url = await newDatabase(t);
  await query(url, "create table customers (id int)", "create table organizations (id int)");
  const words = /holds tables of something else \(customers, organizations\)\. Give datarun a database of its own\.$/;
  assert.match(await refusal(t, url), words);
  assert.match(await refusal(t, url, { opening: "make" }), words);
  assert.deepEqual(
    (await query(url, TABLES)).map(({ tablename }) => tablename),
    ["customers", "organizations"],
  );

  const other = await newDatabase(t);
  await query(other, "create table datarun_migrations (step text)");
  assert.match(await refusal(t, other), /cannot be used: column "version" does not exist \(42703\)\.$/);
});

test("a file of certificates that cannot be read is named, and a bad address is not repeated", async () => {
  const open = (databaseUrl: string) => openStore({ dataDir: "", databaseUrl, clock: systemClock });
  const nowhere = "postgres://u:canary@db:5432/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem";
  await assert.rejects(open(nowhere), {
    message: "The file /nowhere/ca.pem, which DATABASE_URL names, cannot be read (ENOENT).",
  });
  for (const bad of ["mysql://u:canary@db/d", "postgres://u:canary@db:port/d"])
    await assert.rejects(
      open(bad),
      ({ message }: Error) => message.startsWith("DATABASE_URL is not the address") && !message.includes("canary"),
    );
});

test("what a pooler refuses for good is refused, although its code is the same for what passes", () => {
  const place = databaseAddressOf("postgres://ada@pooler:6432/crm");
  const verdict = (message: string) =>
    judge(Object.assign(new DatabaseError(message, 0, "error"), { code: "08P01" }), place);
  assert.deepEqual(verdict("unsupported startup parameter: options"), {
    isPermanent: true,
    message: `The pooler at pooler:6432 refuses the parameter "options" (08P01): take it out of DATABASE_URL, or add it to the pooler's ignore_startup_parameters.`,
  });
  for (const message of ['database "crm" does not exist', "no such user: ada", "SASL authentication failed"])
    assert.equal(verdict(message).isPermanent, true, message);
  for (const message of [
    "client_login_timeout (server down)",
    "server login has been failing, try again later (server_login_retry)",
    "pgbouncer cannot connect to server",
    "no more connections allowed (max_client_conn)",
    "query_wait_timeout",
    "sorry, too many clients already",
    "the database system is starting up",
    "the database system is shutting down",
    "the database system is in recovery mode",
  ])
    assert.equal(verdict(message).isPermanent, false, message);
});

test("when TLS is required, a server that is not PostgreSQL is refused, and so is one without TLS", async (t) => {
  const http = await listener(t, (socket) => socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  assert.equal(
    await refusal(t, `postgres://u:p@${http}/d?sslmode=verify-full`),
    `What listens at ${http} is not a PostgreSQL server.`,
  );
  const plain = await listener(t, (socket) => socket.once("data", () => socket.write("N")));
  assert.equal(
    await refusal(t, `postgres://u:p@${plain}/d?sslmode=verify-full`),
    `The PostgreSQL at ${plain} has no TLS, which DATABASE_URL asks for.`,
  );
  const identity = issueCertificate({ names: ["127.0.0.1"] });
  const untrusted = await listener(t, (socket) => {
    socket.once("data", () => {
      socket.write("S");
      const secured = new TLSSocket(socket, { isServer: true, ...identity }).on("error", () => {});
      refusing("28P01", "no")(secured);
    });
  });
  const authority = join(mkdtempSync(join(tmpdir(), "datarun-ca-")), "ca.pem");
  t.after(() => rmSync(dirname(authority), { recursive: true }));
  writeFileSync(authority, identity.cert);
  assert.equal(
    await refusal(t, `postgres://u:p@${untrusted}/d?sslmode=verify-full&sslrootcert=${authority}`),
    `The PostgreSQL at ${untrusted} does not take the password of the user "u".`,
    "once it is trusted it is heard",
  );
  assert.equal(
    await refusal(t, `postgres://u:p@${untrusted}/d?sslmode=verify-full`),
    `The certificate of the PostgreSQL at ${untrusted} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).`,
  );
});

test("a host that is unavailable is waited for, and reported once", async (t) => {
  for (const [address, words] of [
    ["127.0.0.1:1", "No PostgreSQL listens at 127.0.0.1:1 (ECONNREFUSED)."],
    [`${UNKNOWN_HOST}:5432`, `The host name ${UNKNOWN_HOST} is not known`],
  ] as const) {
    const told: StoreNews[] = [];
    const first = Promise.withResolvers<void>();
    const store = await openStore({
      dataDir: "",
      databaseUrl: `postgres://u:canary@${address}/d`,
      // Its delays take a hundredth of the time.
      clock: { ...systemClock, after: (delayMs, callback, hold) => systemClock.after(delayMs / 100, callback, hold) },
      onNews(news) {
        told.push(news);
        first.resolve();
      },
    });
    t.after(() => store.close());
    await first.promise;
    await assert.rejects(store.admin.organizations(), (error: Error & { code?: string }) => {
      assert.equal(error.code, "unavailable");
      assert.ok(error.message.startsWith(words), error.message);
      return true;
    });
    assert.equal(store.health().state, "connecting");
    assert.deepEqual(
      told.map(({ event, says }) => [event, says.startsWith(words)]),
      [["store_away", true]],
    );
  }
});

test("looking at an empty database creates nothing, and looking at an older store changes nothing", async (t) => {
  const url = await newDatabase(t);
  assert.match(await refusal(t, url, { opening: "look" }), /^There is no store in the database "test_\w+" at .+\./);
  assert.deepEqual(await query(url, TABLES), []);

  const older = openPostgres(url, systemClock, MIGRATIONS.slice(0, -1));
  await older.ready();
  await older.close();
  for (const opening of ["look", "make"] as const)
    assert.match(
      await refusal(t, url, { opening }),
      /^This store has schema \d+, .*The start of a service of this version/,
    );
  const upgraded = await openStore({ dataDir: "", databaseUrl: url, clock: systemClock });
  t.after(() => upgraded.close());
  await upgraded.admin.createOrganization(ACT, { id: "org_1", name: "Acme", createdWallAt: 1 });

  const looked = await openStore({ dataDir: "", databaseUrl: url, clock: systemClock, opening: "look" });
  t.after(() => looked.close());
  assert.equal((await looked.admin.organizations()).length, 1);
});
