import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface DataReply {
  readonly outputs: Record<string, unknown>;
  readonly status: Record<string, { readonly success: boolean; readonly match: boolean; readonly message: string }>;
}

/** The real command in a process of its own, as an operator starts it. */
export interface CommandService {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
  data(body: object): Promise<DataReply>;
  func(body: object): Promise<DataReply>;
  /** Every line it has logged so far. */
  log(): Record<string, unknown>[];
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export interface CommandOptions {
  /** Another checkout than this one. */
  readonly root?: string;
  /** What is started in place of the launcher of that checkout: a program and its first arguments. */
  readonly program?: readonly [string, ...string[]];
  /** Whose process it is. */
  readonly uid?: number;
  readonly gid?: number;
  /** The folder in which it is started. */
  readonly cwd?: string;
}

interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly dataDir: string;
  readonly printed: { out: string; err: string };
  readonly ended: CommandService["ended"];
}

function run(
  t: TestContext,
  command: "start" | "dev",
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { root = ROOT, program, ...whose }: CommandOptions = {},
): Started {
  const dataDir = env["DATARUN_DATA_DIR"] ?? mkdtempSync(join(tmpdir(), "datarun-data-"));
  const [file, ...before] = program ?? [process.execPath, join(root, "bin/datarun.mjs")];
  const child = spawn(file, [...before, command, "--port", "0", "--admin-port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // The connections that tests keep would make each stop wait.
    env: { PATH: process.env["PATH"], DATARUN_DATA_DIR: dataDir, DATARUN_LIMITS_DRAIN_MS: "0", ...env },
    // Other programs start the service as a process of theirs: in a group of their own, it ends with them.
    detached: program !== undefined,
    ...whose,
  });
  const printed = { out: "", err: "" };
  child.stdout.on("data", (text: Buffer) => (printed.out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (printed.err += text.toString()));
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, stderr: printed.err }));
  });
  t.after(async () => {
    if (program === undefined) child.kill("SIGKILL");
    else killGroup(child.pid!);
    await ended;
    if (env["DATARUN_DATA_DIR"] === undefined) rmSync(dataDir, { recursive: true, force: true });
  });
  return { child, dataDir, printed, ended };
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nobody of it is left.
  }
}

/** Starts it with a store of its own and waits until it listens. With `--demo` its token is used by `data`. */
export async function startCommand(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: CommandOptions = {},
): Promise<CommandService> {
  const { child, printed, ended } = run(t, "start", args, env, options);
  const lines = () =>
    printed.out
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  let stopped = false;
  void ended.then(() => (stopped = true));
  let listening: Record<string, unknown> | undefined;
  // A demo tells its token after it has begun to listen.
  const isReady = () =>
    listening !== undefined &&
    (!args.includes("--demo") || /\/func |none was created|no demo was made/.test(printed.err));
  while (!isReady()) {
    if (stopped) throw new Error(`it ended instead of listening:\n${printed.err}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    listening = lines().find((line) => line["event"] === "listening");
  }
  const url = listening!["url"] as string;
  async function post(path: string, body: object): Promise<DataReply> {
    const header = (name: string) => new RegExp(`${name}: ([^']+)`).exec(printed.err)![1]!;
    const reply = await fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-service-access-token": header("X-Service-Access-Token"),
        "x-service-workflow": header("X-Service-Workflow"),
      },
      body: JSON.stringify(body),
    });
    return (await reply.json()) as DataReply;
  }
  return {
    url,
    adminUrl: listening!["admin_url"] as string,
    pid: child.pid!,
    log: lines,
    stderr: () => printed.err,
    signal: (name) => void child.kill(name),
    ended,
    data: (body) => post("/data", body),
    func: (body) => post("/func", body),
  };
}

/** Starts it and waits for its end, for starts that must not succeed. */
startCommand.fails = async (t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(t, "start", args, env).ended;

/** Long enough for any machine: what has not been said by then never will be. */
const SAYS_WITHIN_MS = 60_000;

/** `datarun dev`, whose log is for people: `says` waits until it has printed what fits, after what was read before. */
export function startDevelopment(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: CommandOptions = {},
) {
  const { printed, ended } = run(t, "dev", args, env, options);
  let read = 0;
  return {
    ended,
    stderr: () => printed.err,
    async says(pattern: RegExp): Promise<RegExpExecArray> {
      const until = performance.now() + SAYS_WITHIN_MS;
      for (;;) {
        const found = pattern.exec(printed.out.slice(read));
        if (found !== null) {
          read += found.index + found[0].length;
          return found;
        }
        const over = await Promise.race([
          ended.then(() => true),
          new Promise((resolve) => setTimeout(resolve, 20, false)),
        ]);
        if (over === true) throw new Error(`it ended before it said ${pattern}:\n${printed.out}\n${printed.err}`);
        if (performance.now() > until) throw new Error(`it did not say ${pattern}:\n${printed.out}\n${printed.err}`);
      }
    },
  };
}
