import { Readable, Writable } from "node:stream";
import { type MessagePort, parentPort } from "node:worker_threads";
import { runCli } from "../../src/admin/cli/run-cli.ts";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { openVerbs } from "../../src/composition/verb-needs/terminal-needs.ts";

export interface VerbToRun {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Gets what was printed. */
  readonly port: MessagePort;
  /** Becomes 1 once the reply is there. */
  readonly ended: Int32Array;
}

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

class Collected extends Writable {
  text = "";
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

// One after the other: each verb has the environment of this thread to itself.
let last: Promise<void> = Promise.resolve();
parentPort!.on("message", (order: VerbToRun) => void (last = last.then(() => run(order))));

async function run({ args, environment, port, ended }: VerbToRun): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
  const [stdout, stderr] = [new Collected(), new Collected()];
  const code = await runCli(
    args,
    { stdin: Object.assign(Readable.from([]), { isTTY: false }), stdout, stderr, env: process.env },
    { verbs: findVerbs(), lasting: {}, open: openVerbs, version: async () => "" },
  );
  port.postMessage({ code, stdout: stdout.text, stderr: stderr.text } satisfies Printed);
  Atomics.store(ended, 0, 1);
  Atomics.notify(ended, 0);
}
