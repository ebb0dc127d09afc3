import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findPostgres, runAs, type PostgresProgram } from "./postgres-program.ts";

/** A real PostgreSQL of a test's own. */
export interface PostgresServer {
  /** The address of one of its databases. */
  url(database: string): string;
  /** The unix socket, for a proxy in front of it. */
  readonly socket: string;
  /** Sends a signal to the server and the processes it has forked. */
  signal(signal: NodeJS.Signals): void;
  /** Kills it as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  start(): Promise<void>;
  /** Stops it for good and removes its data. */
  stop(): Promise<void>;
}

const USER = "datarun";
const FLAGS = ["-E", "UTF8", "--no-locale", "-U", USER, "-A", "trust", "--no-sync"];
const SETTINGS = {
  listen_addresses: "",
  shared_buffers: "32MB",
  max_connections: "60",
  fsync: "off",
  full_page_writes: "off",
  log_min_messages: "fatal",
};

/** Files in memory. A busy disk takes minutes for the hundreds of files of each of our many databases. */
const MEMORY = "/dev/shm";
/** All clusters and databases that there are at a time take a part of it. In a container there may be 64 MB. */
const MEMORY_BYTES_MIN = 2_048 * 1_048_576;

function temporaryFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY : tmpdir();
}

/** Makes a cluster in a temporary folder and starts it. It dies with this process, however that dies. */
export async function startPostgres(): Promise<PostgresServer> {
  const program = findPostgres();
  const folder = mkdtempSync(join(temporaryFolder(), "datarun-pg-"));
  const [data, sockets] = [join(folder, "data"), join(folder, "s")];
  for (const made of [data, sockets]) mkdirSync(made, { mode: 0o700 });
  if (program.uid !== null) for (const made of [data, sockets, folder]) chownSync(made, program.uid, program.uid);
  const initdb = spawnSync(join(program.bin, "initdb"), ["-D", data, ...FLAGS], {
    ...runAs(program),
    encoding: "utf8",
  });
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.error?.message ?? initdb.stderr}`);

  const url = (database: string) => `postgres:///${database}?user=${USER}&host=${encodeURIComponent(sockets)}`;
  let guard = await startGuarded(program, folder, url("postgres"));
  return {
    url,
    socket: join(sockets, ".s.PGSQL.5432"),
    signal: (signal) => {
      for (const pid of [postmasterPid(data), ...childrenOf(postmasterPid(data))]) kill(pid, signal);
    },
    kill: async () => {
      const pids = [postmasterPid(data), ...childrenOf(postmasterPid(data))];
      for (const pid of pids) kill(pid, "SIGKILL");
      await ended(guard);
    },
    start: async () => {
      guard = await startGuarded(program, folder, url("postgres"));
    },
    stop: async () => {
      guard.ref();
      guard.stdin!.end();
      await ended(guard);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The shell between is a life line: when this process dies, its standard input closes, `read` returns, and the server is
 * ended and its folder removed. In a session of its own no Ctrl-C reaches the server before the tests have stopped it.
 */
const GUARD = `
  folder=$1; shift
  exec 3<&0
  "$@" </dev/null 3<&- & server=$!
  (read _ <&3; : >"$folder/ending"; kill -CONT $server; kill -INT $server; sleep 5; kill -KILL $server) 2>/dev/null & watch=$!
  wait $server; code=$?
  kill $watch 2>/dev/null
  [ -e "$folder/ending" ] && rm -rf "$folder"
  exit $code`;

async function startGuarded(program: PostgresProgram, folder: string, url: string): Promise<ChildProcess> {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const postgres = join(program.bin, "postgres");
  const command = [postgres, "-D", join(folder, "data"), "-k", join(folder, "s"), ...settings];
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    const guard = spawn("/bin/sh", ["-c", GUARD, "guard", folder, ...command], {
      ...runAs(program),
      stdio: ["pipe", "ignore", "pipe"],
      detached: true,
    });
    let said = "";
    guard.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    guard.stdin.on("error", () => {});
    // It keeps no test process alive: whoever forgets to stop it ends it by ending.
    for (const held of [guard, guard.stdin, guard.stderr]) (held as unknown as { unref(): void }).unref();
    while (guard.exitCode === null && guard.signalCode === null) {
      if (await answers(url)) return guard;
      if (performance.now() > giveUpAt) throw new Error(`PostgreSQL does not answer: ${said}`);
      await sleep(20);
    }
    // After a kill the lock file may name a process that is not reaped yet: a moment later it starts.
    if (performance.now() > giveUpAt) throw new Error(`PostgreSQL did not start: ${said}`);
    await sleep(100);
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

function postmasterPid(data: string): number {
  return Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  return stdout.split("\n").map(Number).filter(Boolean);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
