/**
 * The process that holds isolates. It is started with an empty environment and no open files except its three streams
 * and the channel to the service. When the service has gone, it kills itself, which is the only way to end a thread in
 * an endless loop.
 */
import { LARGE_REPLY_CHARACTERS, type FromChild, type Reply, type ToChild } from "../pool/messages.ts";
import { CpuUse } from "./cpu-use.ts";
import { holdLifeLine } from "./life-line.ts";
import { giveWay, LEAST_PRIORITY, LOW_PRIORITY, lowerNewThreads } from "./priority.ts";
import { startRun, type ChildRun } from "./run.ts";
import { createSlots } from "./slots.ts";
import { weighAll } from "./weigh.ts";

const RSS_EVERY_MS = 50;
const REPORT_EVERY_MS = 250;
/** By then the run has its thread. */
const NEW_THREADS_AFTER_MS = 10;

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
const cpuUse = new CpuUse();
/** The most runs that there were at once: more than that may need more threads. */
let mostRuns = 0;
/** While there are runs. */
let reporting: NodeJS.Timeout | undefined;

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
        startRun(message, slots, send, () => over(message.id)),
      );
      reporting ??= setInterval(report, REPORT_EVERY_MS);
      if (runs.size > mostRuns) setTimeout(lowerNewThreads, NEW_THREADS_AFTER_MS);
      mostRuns = Math.max(mostRuns, runs.size);
      return;
    case "reply":
      void tookReply(message);
      return;
    case "end": {
      const run = runs.get(message.id);
      return run === undefined ? send({ type: "ended", id: message.id, stuck: false }) : run.end();
    }
    case "yield":
      return giveWay(LEAST_PRIORITY);
    case "weigh":
      void weighAll(runs, slots).then((weights) => send({ type: "weighed", runs: weights }));
  }
}

function over(id: number): void {
  const run = runs.get(id);
  if (run !== undefined) cpuUse.add(run.isolate, run.takeInsideMs());
  runs.delete(id);
}

function report(): void {
  // Of a thread that does not leave its isolate, others take the place.
  lowerNewThreads();
  for (const run of runs.values()) cpuUse.add(run.isolate, run.takeInsideMs());
  const isolates = cpuUse.report();
  if (isolates.length > 0) send({ type: "used", isolates });
  if (runs.size > 0) return;
  clearInterval(reporting);
  reporting = undefined;
}

/** A large reply is acknowledged, because the service limits how many are sent that no isolate has taken yet. */
async function tookReply({ id, call, json }: Reply): Promise<void> {
  const characters = json.length;
  await runs.get(id)?.reply(call, json);
  if (characters >= LARGE_REPLY_CHARACTERS) send({ type: "took", id, characters });
}

// Endless loops in this process must not slow down the service on the same machine.
giveWay(LOW_PRIORITY);
// A signal to the whole process group is meant for the service, which may still need its children to finish its runs.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "SIGQUIT"] as const) process.on(signal, () => {});
process.on("disconnect", die);
process.on("message", receive);
if (process.argv[2] === "report-rss") {
  setInterval(() => {
    if (runs.size > 0) send({ type: "rss", bytes: process.memoryUsage.rss() });
  }, RSS_EVERY_MS);
}
