import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { openKeyedStore } from "../../src/composition/open-store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { createClient, type Client, type Reply } from "./client.ts";
import { readLedger, type LedgerRows } from "./ledger-rows.ts";
import { createOperator, type Operator, type Organization } from "./organization.ts";
import { Secrets } from "./secrets.ts";
import { assertPrinted } from "./verb-results.ts";
import { runVerb } from "./verb-thread.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
/** Makes the launcher believe that it runs on a Node too old for the service. */
const ON_OLD_NODE = [
  "--import",
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})",
];

export interface DeployOptions {
  readonly project: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  /** By the launcher as a process of its own, as on a machine with an older Node. */
  readonly byLauncher?: boolean;
  /** A command that runs the command that follows it, such as `nice`. */
  readonly under?: readonly string[];
  /** The folder of another version. */
  readonly root?: string;
  /** `false`: gives back a process that may not listen yet. */
  readonly listening?: boolean;
}

/** The command in a process of its own. */
export interface Process {
  readonly pid: number;
  readonly url: string;
  readonly adminUrl: string;
  readonly client: Client;
  post(
    path: "/data" | "/func",
    body: object,
    how?: { readonly signal?: AbortSignal; readonly as?: Access },
  ): Promise<Reply>;
  run(sources: object, inputs?: object): Promise<Reply>;
  /** Every line it has logged so far. */
  log(): Record<string, unknown>[];
  stdout(): string;
  stderr(): string;
  /** Stops reading what it logs, or goes on. */
  readLog(isRead: boolean): void;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly at: number;
}

export interface Access {
  readonly token: string;
  readonly workflow: string;
}

/** An operator's machine: a data directory, a project, an organization with a token and a workflow, and the command. */
export interface Deployment {
  readonly dataDir: string;
  readonly access: Organization;
  /** Texts that must turn up nowhere. The token and stored credentials are in already. */
  readonly secrets: Secrets;
  start(options?: StartOptions): Promise<Process>;
  /** An operator's verb. @returns the one JSON value that it printed */
  verb(...args: string[]): Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- tests read what they assert
  /** What verbs do, without a process for each. */
  operate<Result>(act: (operator: Operator) => Promise<Result>): Promise<Result>;
  /** The head of a request that is allowed in, without the empty line that ends it. */
  head(path: string): string;
  ledger(): LedgerRows[];
}

export async function deploy(t: TestContext, { project, env = {} }: DeployOptions): Promise<Deployment> {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-deployed-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const environment = {
    PATH: process.env["PATH"],
    DATARUN_DATA_DIR: dataDir,
    DATARUN_PROJECT: project,
    // The connections that tests keep would make each stop wait.
    DATARUN_LIMITS_DRAIN_MS: "0",
    ...env,
  };
  const secrets = new Secrets();
  const operate = async <Result>(act: (operator: Operator) => Promise<Result>): Promise<Result> => {
    const opened = await openKeyedStore({ dataDir, databaseUrl: undefined, rootKey: undefined, clock: systemClock });
    try {
      return await act(createOperator(opened, systemClock, secrets));
    } finally {
      await opened.store.close();
    }
  };
  const access = await operate((operator) => operator.createOrganization("Acme"));

  return {
    dataDir,
    access,
    secrets,
    operate,
    head: (path) =>
      `POST ${path} HTTP/1.1\r\nHost: test\r\nX-Service-Access-Token: ${access.token}\r\nX-Service-Workflow: ${access.workflow}\r\n`,
    ledger: () => readLedger(dataDir),

    async verb(...args) {
      const { code, stdout, stderr } = await runVerb(environment, [...args, "--json"]);
      assert.equal(code, 0, `${args.slice(0, 2).join(" ")}: ${stderr}${stdout}`);
      await assertPrinted([...args, "--json"], stdout);
      return JSON.parse(stdout) as unknown;
    },

    async start({ args = [], byLauncher = false, under = [], root = CHECKOUT, listening = true } = {}) {
      const command = [join(root, "bin/datarun.mjs"), "start", "--port", "0", "--admin-port", "0", ...args];
      const node = [process.execPath, ...(byLauncher ? ON_OLD_NODE : []), ...command];
      const [program, ...rest] = [...under, ...node];
      const child = spawn(program!, rest, {
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const printed = collect(child);
      const ended = endOf(child);
      t.after(async () => {
        child.kill("SIGKILL");
        await ended;
      });
      const log = () => linesOf(printed.out);
      const line = listening ? await listeningLine(log, ended, () => printed.err) : {};
      const url = (line["url"] as string | undefined) ?? "http://127.0.0.1:1";
      const client = createClient(url);
      t.after(() => client.close());
      const post: Process["post"] = (path, body, { signal, as = access } = {}) =>
        client.send({
          method: "POST",
          path,
          headers: {
            "Content-Type": "application/json",
            "X-Service-Access-Token": as.token,
            "X-Service-Workflow": as.workflow,
          },
          body: JSON.stringify(body),
          signal,
        });
      return {
        pid: child.pid!,
        url,
        adminUrl: line["admin_url"] as string,
        client,
        post,
        run: (sources, inputs = {}) => post("/data", { config: { sources }, inputs }),
        log,
        stdout: () => printed.out,
        stderr: () => printed.err,
        readLog: (isRead) => void (isRead ? child.stdout.resume() : child.stdout.pause()),
        signal: (name) => void child.kill(name),
        ended,
      };
    },
  };
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function collect(child: Child): { out: string; err: string } {
  const printed = { out: "", err: "" };
  child.stdout.on("data", (text: Buffer) => (printed.out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (printed.err += text.toString()));
  return printed;
}

function endOf(child: Child): Promise<Ended> {
  let at = 0;
  child.on("exit", () => {
    at = performance.now();
    // Whatever of its output was not read by then is not a part of its end.
    child.stdout.resume();
  });
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, at })));
}

/** The last line may be half a one: of a process that was killed, or that is just writing it. */
function linesOf(text: string): Record<string, unknown>[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function listeningLine(
  log: () => Record<string, unknown>[],
  ended: Promise<unknown>,
  stderr: () => string,
): Promise<Record<string, unknown>> {
  let over = false;
  void ended.then(() => (over = true));
  for (;;) {
    const line = log().find(({ event }) => event === "listening");
    if (line !== undefined) return line;
    if (over) throw new Error(`it ended instead of listening:\n${stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
