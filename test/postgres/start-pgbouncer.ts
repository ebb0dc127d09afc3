import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { until } from "../rig/until.ts";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { findPostgres, runAs } from "./postgres-program.ts";
import type { PostgresServer } from "./start-postgres.ts";

/** A PgBouncer that pools by transaction. Everything else is as PgBouncer sets it by default. */
export interface PgBouncer {
  /** The address of one of the server's databases, through the pooler. */
  url(database: string): string;
  log(): string;
}

const PLACES = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];
const PORT = 6432;

/** `undefined` if this machine has none. Debian's package is `pgbouncer`. */
export function findPgBouncer(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** Starts one in front of a server; it ends with the test. */
export async function startPgBouncer(t: TestLife, program: string, server: PostgresServer): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), "datarun-pooler-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
* = host=${dirname(server.socket)} user=datarun
[pgbouncer]
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = any
pool_mode = transaction
`,
  );
  const whose = findPostgres();
  // Like PostgreSQL, it refuses to run as root.
  if (whose.uid !== null) for (const path of [folder, config]) chownSync(path, whose.uid, whose.uid);
  const child = spawn(program, [config], { ...runAs(whose), stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const socket = join(folder, `.s.PGSQL.${PORT}`);
  await until(() => existsSync(socket) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${log}`);
  return {
    url: (database) => `postgres:///${database}?user=datarun&host=${encodeURIComponent(folder)}&port=${PORT}`,
    log: () => log,
  };
}
