/**
 * The process that holds isolates. It is started with an empty environment and no open file but its three streams and
 * the channel to the service, and it never outlives the service: when that has gone it kills itself, which is the only
 * way to end a thread that spins.
 */
import { setPriority } from "node:os";
import { LARGE_REPLY_CHARACTERS, type FromChild, type Reply, type ToChild } from "../pool/messages.ts";
import { holdLifeLine } from "./life-line.ts";
import { startRun, type ChildRun } from "./run.ts";
import { createSlots } from "./slots.ts";
import { weighAll } from "./weigh.ts";

/** Endless loops in here shall not slow down the service beside it. */
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
      // Until there are runs this thread is free to hear of the service's end itself.
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

/** A large reply is acknowledged: the service sends only so many that no isolate has taken. */
async function tookReply({ id, call, json }: Reply): Promise<void> {
  const characters = json.length;
  await runs.get(id)?.reply(call, json);
  if (characters >= LARGE_REPLY_CHARACTERS) send({ type: "took", id, characters });
}

try {
  setPriority(NICENESS);
} catch {
  // Not allowed here: the children then compete as equals.
}
// A signal to the whole process group is meant for the service, which may still need its children to finish.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "SIGQUIT"] as const) process.on(signal, () => {});
process.on("disconnect", die);
process.on("message", receive);
if (process.argv[2] === "report-rss") {
  setInterval(() => {
    if (runs.size > 0) send({ type: "rss", bytes: process.memoryUsage.rss() });
  }, RSS_EVERY_MS);
}
