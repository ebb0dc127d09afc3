/**
 * The process that runs isolates. It is started with an empty environment and no open files except its three streams
 * and the channel to the service. When the service is gone, the process kills itself: nothing else ends a thread in an
 * endless loop.
 */
import { flushCompileCache } from "node:module";
import type { FromChild, ToChild } from "../pool/messages.ts";
import { startLifeLine } from "./life-line.ts";
import { lowerPriority, LEAST_PRIORITY, LOW_PRIORITY, lowerNewThreads, SHADOW_PRIORITY } from "./priority.ts";
import { startRun, type ChildRun } from "./child-run.ts";
import { createSlots } from "./slots.ts";

const RSS_EVERY_MS = 50;
const CHECK_EVERY_MS = 250;
/**
 * Share of one processor. A process that uses more in the long run gets a lower priority than those of other
 * organizations.
 */
const CPU_PART = 0.25;
/** Processor time in ms that a process may use beyond its share before its priority is lowered. */
const CPU_MS_AT_ONCE = 1_000;
/** After this delay, the thread of a new run exists. */
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
/** The most simultaneous runs so far. Only a higher number may need new threads. */
let mostRuns = 0;
/** Defined while there are runs. */
let checking: NodeJS.Timeout | undefined;
/** Processor time in ms used beyond the share. */
let surplusMs = 0;
let checkedAt = 0;
let checkedCpu = process.cpuUsage();
let hasLeastPriority = false;
let isForShadows = false;

function receive(message: ToChild): void {
  switch (message.type) {
    case "prelude":
      slots.setPrelude(message.code);
      send({ type: "ready" });
      // Start the thread only now: before the first run, the main thread is never busy and notices the service's end
      // itself.
      startLifeLine();
      // Node writes the compile cache when a process ends, but this one is always killed.
      return flushCompileCache();
    case "bundle":
      return slots.addBundle(message.bundle, message.code, message.contract);
    case "forget":
      return slots.forgetBundle(message.bundle);
    case "run":
      runs.set(
        message.id,
        startRun(message, slots, send, () => runs.delete(message.id)),
      );
      checking ??= setInterval(check, CHECK_EVERY_MS);
      if (runs.size > mostRuns) setTimeout(lowerNewThreads, NEW_THREADS_AFTER_MS);
      mostRuns = Math.max(mostRuns, runs.size);
      return;
    case "reply":
      return runs.get(message.id)?.reply(message.call, message.json);
    case "end": {
      const run = runs.get(message.id);
      return run === undefined ? send({ type: "ended", id: message.id, stuck: false }) : run.end();
    }
    case "yield":
      if (isForShadows) return;
      isForShadows = true;
      hasLeastPriority = true;
      return lowerPriority(SHADOW_PRIORITY);
    case "trim":
      return slots.dropIdle();
  }
}

/**
 * Lowers the priority of this process if it uses much processor time. The operating system divides the processors among
 * threads, and each run has a thread. Without this check, the organization with the most computing runs would get the
 * most processor time.
 */
function check(): void {
  // When a thread does not leave its isolate, isolated-vm starts another one in its place.
  lowerNewThreads();
  const now = performance.now();
  const { user, system } = process.cpuUsage(checkedCpu);
  checkedCpu = process.cpuUsage();
  surplusMs = Math.max(0, surplusMs + (user + system) / 1_000 - CPU_PART * (now - checkedAt));
  checkedAt = now;
  if (surplusMs > CPU_MS_AT_ONCE && !hasLeastPriority) {
    hasLeastPriority = true;
    lowerPriority(LEAST_PRIORITY);
  }
  if (runs.size > 0) return;
  clearInterval(checking);
  checking = undefined;
}

// Endless loops in this process must not slow down the service on the same machine.
lowerPriority(LOW_PRIORITY);
// A signal to the process group is meant for the service, which may still need its children to finish its runs.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "SIGQUIT"] as const) process.on(signal, () => {});
process.on("disconnect", die);
process.on("message", receive);
if (process.argv[2] === "report-rss") {
  setInterval(() => {
    if (runs.size > 0) send({ type: "rss", bytes: process.memoryUsage.rss() });
  }, RSS_EVERY_MS);
}
