import { once } from "node:events";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { processLife } from "./process-life.ts";
import type { Printed, VerbToRun } from "./verb-worker.ts";

/*
 * Verbs in threads of the test's process, which load the modules of verbs once: a process for each takes fifty times the
 * processor time. That the command itself does the same is tested where it matters, by `command` of `test/start`.
 */

type Environment = VerbToRun["environment"];

let [waitedFor, other]: (Worker | undefined)[] = [];

/** Runs a verb while the calling thread waits, as it would wait for a process. */
export function runVerbSync(environment: Environment, args: readonly string[]): Printed {
  const { ended, printed } = send((waitedFor ??= startThread()), environment, args);
  Atomics.wait(ended, 0, 0);
  return (receiveMessageOnPort(printed) as { readonly message: Printed }).message;
}

/** Runs a verb that may call what runs in the calling thread, such as a vendor. */
export async function runVerb(environment: Environment, args: readonly string[]): Promise<Printed> {
  const { printed } = send((other ??= startThread()), environment, args);
  const [message] = (await once(printed, "message")) as [Printed];
  printed.close();
  return message;
}

function send(thread: Worker, environment: Environment, args: readonly string[]) {
  const { port1: printed, port2: port } = new MessageChannel();
  const ended = new Int32Array(new SharedArrayBuffer(4));
  thread.postMessage({ args, environment, port, ended } satisfies VerbToRun, [port]);
  return { ended, printed };
}

function startThread(): Worker {
  const thread = new Worker(new URL("verb-worker.ts", import.meta.url), { env: { ...process.env } });
  thread.unref();
  processLife.after(() => thread.terminate());
  return thread;
}
