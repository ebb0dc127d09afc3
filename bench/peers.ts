import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, cpSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAccess, DATARUN, setBudget, sourceId, writeProject, type Access } from "./datarun-setup.ts";
import type { PeerName } from "./scenarios.ts";
import { nextMessage, type Vendors } from "./start-vendors.ts";

export interface Peer {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export interface PeerStarter {
  /** One whole HTTP request for a run of so many sources: the same for every peer. */
  request(sources: number): Buffer;
  /** Made ready before, so that a start is measured alone. */
  prepare(name: PeerName, vendors: Vendors): Promise<void>;
  start(name: PeerName, vendors: Vendors): Promise<Peer>;
}

/** The other peers refuse nobody; when the machine stalls for a moment, neither does the service. */
const NO_SHEDDING = { DATARUN_LIMITS_RUNS: "4096", DATARUN_LIMITS_RUNS_PER_ORGANIZATION: "4096" };

/** How each peer is started, all with one request, in a temporary folder that the caller deletes. */
export async function createPeerStarter(folder: string, prefix: readonly string[]): Promise<PeerStarter> {
  const access = await createAccess(join(folder, "access"));
  /** Those that run at once have nothing in common. */
  const folderOf = (name: PeerName) => join(folder, name.replace(" ", "-"));

  function launch(name: PeerName, argv: readonly string[], { authority }: Vendors): ChildProcess {
    const [command, ...args] = [...prefix, process.execPath, ...argv] as [string, ...string[]];
    const log = openSync(`${folderOf(name)}.log`, "w");
    const child = spawn(command, args, {
      stdio: ["ignore", log, "inherit", ...(isDatarun(name) ? [] : (["ipc"] as const))],
      env: {
        ...process.env,
        ...NO_SHEDDING,
        BENCH_TOKEN: access.token,
        ...(authority === null ? {} : trusting(join(folder, "authority.pem"), authority)),
      },
    });
    closeSync(log);
    return child;
  }

  return {
    request: (sources) => requestText(sources, access),

    async prepare(name, { origins }) {
      if (!isDatarun(name)) return;
      await writeProject(join(folderOf(name), "project"), origins, {
        mapped: name === "datarun mapped",
        limited: name === "datarun limited",
      });
      // Each scenario with a journal of its own: they must not differ by how full it is.
      rmSync(join(folderOf(name), "data"), { recursive: true, force: true });
      cpSync(join(folder, "access"), join(folderOf(name), "data"), { recursive: true });
      if (name === "datarun limited") await setBudget(join(folderOf(name), "data"), access.organization);
    },

    async start(name, vendors) {
      if (!isDatarun(name)) {
        const file = fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));
        const child = launch(name, [file, ...vendors.origins], vendors);
        const { port } = await nextMessage<{ port: number }>(child);
        return peer(child, port);
      }
      const [project, data] = [join(folderOf(name), "project"), join(folderOf(name), "data")];
      const options = ["--project", project, "--data-dir", data, "--port", "0", "--admin-port", "0"];
      const child = launch(name, [DATARUN, "start", ...options], vendors);
      return peer(child, await listeningPort(child, `${folderOf(name)}.log`));
    },
  };
}

/** What makes any of them trust the vendors, by Node or by the service's own setting. */
function trusting(file: string, authority: string): Record<string, string> {
  writeFileSync(file, authority);
  return { NODE_EXTRA_CA_CERTS: file, DATARUN_OUTBOUND_CA_FILE: file };
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
