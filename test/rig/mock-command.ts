import { spawn } from "node:child_process";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { fileURLToPath } from "node:url";

const LAUNCHER = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

/** What `datarun mock` prints when it is ready. */
export interface ReadyLine {
  readonly ready: true;
  readonly mode: "simulated";
  readonly url: string;
  readonly port: number;
  readonly admin_url: string;
  readonly admin_port: number;
  readonly token: string;
  readonly workflow: string;
}

export interface MockCommand {
  /** `null` if it has ended instead. */
  readonly ready: ReadyLine | null;
  readonly ended: Promise<number | null>;
  readonly out: () => string;
  readonly err: () => string;
  signal(name: NodeJS.Signals): void;
}

export interface MockCommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** `datarun mock` in a process of its own, on free ports unless the arguments name some. */
export async function mockCommand(
  t: TestLife,
  args: readonly string[],
  { env = {}, cwd }: MockCommandOptions = {},
): Promise<MockCommand> {
  const ports = ["--port", "0", "--admin-port", "0"];
  const child = spawn(process.execPath, [LAUNCHER, "mock", ...ports, ...args], {
    env: { PATH: process.env["PATH"], ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let [out, err] = ["", ""];
  child.stderr.on("data", (text: Buffer) => (err += text.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const line = new Promise<string>((resolve) => {
    child.stdout.on("data", (text: Buffer) => {
      out += text.toString();
      if (out.includes("\n")) resolve(out);
    });
  });
  const ready = await Promise.race([line.then((text) => JSON.parse(text) as ReadyLine), ended.then(() => null)]);
  return { ready, ended, out: () => out, err: () => err, signal: (name) => void child.kill(name) };
}
