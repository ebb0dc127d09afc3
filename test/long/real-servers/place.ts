import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Authority, issueCertificate, makeAuthority } from "../../vendor/certificate.ts";

/** How long a program may take until it listens: the first start of Tomcat, or a build with Go, on a busy machine. */
const START_MS_MAX = 240_000;
const STOP_MS_MAX = 10_000;

/** A temporary folder with a certificate, in which servers are configured and from which they are started. */
export class Place {
  readonly #t: TestContext;
  readonly folder: string;
  readonly authority: Authority = makeAuthority();
  /** PEM files for 127.0.0.1: the certificate, its key, and both in one. */
  readonly cert: string;
  readonly key: string;
  readonly both: string;

  constructor(t: TestContext) {
    this.#t = t;
    this.folder = mkdtempSync(join(tmpdir(), "real-servers-"));
    // Servers that are started as root read their files as another user.
    chmodSync(this.folder, 0o755);
    t.after(() => rmSync(this.folder, { recursive: true, force: true }));
    const { cert, key } = issueCertificate({ names: ["127.0.0.1"], authority: this.authority });
    this.cert = this.write("tls/cert.pem", cert);
    this.key = this.write("tls/key.pem", key);
    this.both = this.write("tls/both.pem", cert + key);
  }

  /** Returns the path of the file. */
  write(name: string, text: string, mode = 0o644): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  makeFolder(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o777);
    return path;
  }

  /** Runs a program to its end. @throws Error with its output if it fails */
  async run(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<void> {
    const child = spawn(command, args, { cwd: this.folder, env: { ...process.env, ...environment } });
    let output = "";
    child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
    child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${output}`);
  }

  /** Starts a program, which is ended after the test, and waits until it listens on all of the ports. */
  async start(
    command: string,
    args: readonly string[],
    ports: readonly number[],
    environment: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    // Apache httpd ends its whole process group, so each program gets its own.
    const options = { cwd: this.folder, env: { ...process.env, ...environment }, detached: true };
    const child = spawn(command, args, options);
    let output = "";
    const keep = (bytes: Buffer): void => {
      output = (output + bytes.toString()).slice(-4_000);
    };
    child.stderr.on("data", keep);
    child.stdout.on("data", keep);
    const ended = once(child, "exit");
    this.#t.after(async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
      await ended;
      clearTimeout(timer);
    });
    const until = Date.now() + START_MS_MAX;
    for (const port of ports)
      while (!(await isListening(port))) {
        if (child.exitCode !== null || Date.now() > until) throw new Error(`${command} does not listen: ${output}`);
        await delay(50);
      }
  }
}

export function isInstalled(path: string): boolean {
  return path.startsWith("/")
    ? existsSync(path)
    : (process.env["PATH"] ?? "").split(":").some((at) => existsSync(join(at, path)));
}

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
