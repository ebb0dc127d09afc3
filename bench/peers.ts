import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAccess, DATARUN, sourceId, writeProject, type Access } from "./datarun-setup.ts";
import type { PeerName } from "./scenarios.ts";
import { nextMessage } from "./start-vendors.ts";

export interface Peer {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export interface PeerStarter {
  /** One whole HTTP request for a run of so many sources: the same for every peer. */
  request(sources: number): Buffer;
  /** Made ready before, so that a start is measured alone. */
  prepare(name: PeerName, ports: readonly number[]): Promise<void>;
  start(name: PeerName, ports: readonly number[]): Promise<Peer>;
}

/** The other peers refuse nobody; when the machine stalls for a moment, neither does the service. */
const NO_SHEDDING = { DATARUN_LIMITS_RUNS: "4096", DATARUN_LIMITS_RUNS_PER_ORGANIZATION: "4096" };

/** How each peer is started, all with one request, in a temporary folder that the caller deletes. */
export async function createPeerStarter(folder: string, prefix: readonly string[]): Promise<PeerStarter> {
  const dataDir = join(folder, "data");
  const access = await createAccess(dataDir);

  function launch(argv: readonly string[], ipc: boolean): ChildProcess {
    const [command, ...args] = [...prefix, process.execPath, ...argv] as [string, ...string[]];
    const log = openSync(join(folder, "log"), "w");
    const child = spawn(command, args, {
      stdio: ["ignore", log, "inherit", ...(ipc ? (["ipc"] as const) : [])],
      env: { ...process.env, ...NO_SHEDDING, BENCH_TOKEN: access.token },
    });
    closeSync(log);
    return child;
  }

  return {
    request: (sources) => requestText(sources, access),

    async prepare(name, ports) {
      if (!isDatarun(name)) return;
      await writeProject(join(folder, "project"), ports, name === "datarun mapped");
      // Each figure with a journal of its own: they must not differ by how full it is.
      rmSync(join(dataDir, "ledger"), { recursive: true, force: true });
      mkdirSync(dataDir, { recursive: true });
    },

    async start(name, ports) {
      if (!isDatarun(name)) {
        const file = fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));
        const child = launch([file, ...ports.map(String)], true);
        const { port } = await nextMessage<{ port: number }>(child);
        return peer(child, port);
      }
      const options = ["--project", join(folder, "project"), "--data-dir", dataDir, "--port", "0", "--admin-port", "0"];
      const child = launch([DATARUN, "start", ...options], false);
      return peer(child, await listeningPort(child, join(folder, "log")));
    },
  };
}

function isDatarun(name: PeerName): boolean {
  return name.startsWith("datarun");
}

function peer(child: ChildProcess, port: number): Peer {
  return {
    pid: child.pid!,
    port,
    async stop() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

async function listeningPort(child: ChildProcess, logFile: string): Promise<number> {
  while (child.exitCode === null) {
    const line = readFileSync(logFile, "utf8")
      .split("\n")
      .find((text) => text.includes('"event":"listening"') && text.endsWith("}"));
    if (line !== undefined) return Number(new URL((JSON.parse(line) as { url: string }).url).port);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`the service ended with ${child.exitCode}`);
}

function requestText(sources: number, access: Access): Buffer {
  const ids = Array.from({ length: sources }, (_, index) => [sourceId(index), true] as const);
  const body = JSON.stringify({
    config: { context: "prod", sources: Object.fromEntries(ids) },
    inputs: { email: "ada@example.com", phone: "+1 555 5550100", name: "Ada Example", city: "Exampleton" },
  });
  return Buffer.from(
    [
      "POST /data HTTP/1.1",
      "Host: 127.0.0.1",
      "Content-Type: application/json",
      `X-Service-Access-Token: ${access.token}`,
      `X-Service-Workflow: ${access.workflow}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}
