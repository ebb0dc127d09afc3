// Loaded into a service before it starts (`--import`): measures the longest time for which its thread did not come back
// to the event loop, in CPU time of that thread, so that a busy machine does not blur it. At SIGUSR2 it appends a line to
// the file in LOOP_HOLDS_FILE and begins again. With LOOP_HOLDS_PROFILE it also says what the longest hold was spent on.
import { appendFileSync } from "node:fs";
import { Session } from "node:inspector";
import { isMainThread } from "node:worker_threads";

const file = process.env.LOOP_HOLDS_FILE;
const SAMPLE_MICROS = 500;
const SHOWN = 12;

if (isMainThread && file !== undefined) measure(process.env.LOOP_HOLDS_PROFILE === undefined ? null : new Session());

function measure(session) {
  let longest = { cpuMs: 0, from: 0n, to: 0n };
  let cpu = cpuMs();
  let at = process.hrtime.bigint();
  // In every turn of the loop, so that the time between two of them is what one turn took.
  (function turn() {
    const now = cpuMs();
    const to = process.hrtime.bigint();
    if (now - cpu > longest.cpuMs) longest = { cpuMs: now - cpu, from: at, to };
    cpu = now;
    at = to;
    setImmediate(turn).unref();
  })();
  session?.connect();
  session?.post("Profiler.enable");
  session?.post("Profiler.setSamplingInterval", { interval: SAMPLE_MICROS });
  session?.post("Profiler.start");
  process.on("SIGUSR2", () => {
    const { cpuMs: ms, from, to } = longest;
    const say = (spentOn) => appendFileSync(file, `${JSON.stringify({ cpuMs: ms, spentOn })}\n`);
    const again = () => {
      session?.post("Profiler.start");
      longest = { cpuMs: 0, from: 0n, to: 0n };
      cpu = cpuMs();
      at = process.hrtime.bigint();
    };
    if (session === null) say([]);
    else
      session.post("Profiler.stop", (_, { profile }) =>
        say(spentIn(profile, Number(from / 1000n), Number(to / 1000n))),
      );
    again();
  });
}

function cpuMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The functions that most of a stretch of time was spent in, callees included, as `name ms`. */
function spentIn({ nodes, samples, timeDeltas, startTime }, from, to) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const micros = new Map();
  let now = startTime;
  samples.forEach((id, index) => {
    now += timeDeltas[index];
    if (now < from || now > to) return;
    const names = new Set();
    for (let node = byId.get(id); node !== undefined; node = byId.get(parents.get(node.id))) {
      const { functionName, url } = node.callFrame;
      names.add(`${functionName || "(anonymous)"} ${url.split("/").at(-1)}`.trim());
    }
    for (const name of names) micros.set(name, (micros.get(name) ?? 0) + (timeDeltas[index + 1] ?? SAMPLE_MICROS));
  });
  return [...micros]
    .sort(([, one], [, other]) => other - one)
    .filter(([name]) => name !== "(root)")
    .slice(0, SHOWN)
    .map(([name, spent]) => `${name} ${Math.round(spent / 1000)}`);
}
