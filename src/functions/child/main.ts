/**
 * The process that holds isolates. It is started with an empty environment and no open files except its three streams
 * and the channel to the service. When the service has gone, it kills itself, which is the only way to end a thread in
 * an endless loop.
 */
import { setPriority } from "node:os";
import { LARGE_REPLY_CHARACTERS, type FromChild, type Reply, type ToChild } from "../pool/messages.ts";
import { holdLifeLine } from "./life-line.ts";
import { startRun, type ChildRun } from "./run.ts";
import { createSlots } from "./slots.ts";
import { weighAll } from "./weigh.ts";

/** Endless loops in this process must not slow down the service on the same machine. */
const NICENESS = 5;
const RSS_EVERY_MS = 50;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  process.exit(1);
}

function send(message: FromChild): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) die();
  });
}

const runs = new Map<number, ChildRun>();
const slots = createSlots();

function receive(message: ToChild): void {
  switch (message.type) {
    case "prelude":
      slots.setPrelude(message.code);
      send({ type: "ready" });
      // Before the first run, the main thread is never busy and notices the end of the service itself.
      return holdLifeLine();
    case "bundle":
      return slots.addBundle(message.bundle, message.code, message.contract);
    case "forget":
      return slots.forgetBundle(message.bundle);
    case "run":
      runs.set(
        message.id,
        startRun(message, slots, send, () => runs.delete(message.id)),
      );
      return;
    case "reply":
      void tookReply(message);
      return;
    case "end": {
      const run = runs.get(message.id);
      return run === undefined ? send({ type: "ended", id: message.id, stuck: false }) : run.end();
    }
    case "weigh":
      void weighAll(runs, slots).then((weights) => send({ type: "weighed", runs: weights }));
  }
}

/** A large reply is acknowledged, because the service limits how many are sent that no isolate has taken yet. */
async function tookReply({ id, call, json }: Reply): Promise<void> {
  const characters = json.length;
  await runs.get(id)?.reply(call, json);
  if (characters >= LARGE_REPLY_CHARACTERS) send({ type: "took", id, characters });
}

try {
  setPriority(NICENESS);
} catch {
  // Not allowed on this machine: the children then get the same priority as the service.
}
// A signal to the whole process group is meant for the service, which may still need its children to finish its runs.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "SIGQUIT"] as const) process.on(signal, () => {});
process.on("disconnect", die);
process.on("message", receive);
if (process.argv[2] === "report-rss") {
  setInterval(() => {
    if (runs.size > 0) send({ type: "rss", bytes: process.memoryUsage.rss() });
  }, RSS_EVERY_MS);
}
