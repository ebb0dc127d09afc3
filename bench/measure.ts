import { Load, openLoop, quantile, startClosedLoop, type Target } from "./load.ts";
import type { PeerStarter } from "./peers.ts";
import { usageOf } from "./process-tree.ts";
import type { PeerName, Scenario } from "./scenarios.ts";
import type { Vendors } from "./start-vendors.ts";

export interface Pace {
  readonly warmUpSeconds: number;
  readonly closedSeconds: number;
  readonly openSeconds: number;
  /** In a closed loop. */
  readonly connections: number;
  /** In an open loop. */
  readonly runsPerSecond: number;
}

/** What one measurement of one peer gave. Times in microseconds of CPU are for one run. */
export interface Figure {
  readonly mainMicros: number;
  readonly otherMicros: number;
  readonly cpuMicros: number;
  readonly runsPerSecond: number;
  readonly peakRssMib: number;
  readonly coldStartMs: number;
  /** Of an open loop: from when a request was due to its whole answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A sparing peer could drop a little of the JSON, such as blanks; one that lost a vendor's answer is far below this. */
const BODY_SHARE_MIN = 0.9;

/**
 * Starts a peer, warms it up, measures it under load, stops it.
 * @throws when any run failed, or when the vendors were not called exactly once by each run and source
 */
export async function measure(
  name: PeerName,
  scenario: Scenario,
  vendors: Vendors,
  starter: PeerStarter,
  pace: Pace,
): Promise<Figure> {
  await starter.prepare(name, vendors.ports);
  await vendors.takeCounts();
  const launchedAt = performance.now();
  const peer = await starter.start(name, vendors.ports);
  const load = new Load({
    port: peer.port,
    request: starter.request(scenario.sources),
    bodyBytesMin: scenario.sources * vendors.replyBytes * BODY_SHARE_MIN,
  });
  try {
    await load.run();
    const coldStartMs = performance.now() - launchedAt - scenario.vendorDelayMs;
    const figures = await (scenario.loop === "closed" ? closed(peer.pid, load, pace) : open(peer.pid, load, pace));
    await verify(name, scenario, load, vendors);
    return { ...figures, coldStartMs, peakRssMib: usageOf(peer.pid).peakRssMib };
  } finally {
    load.close();
    await peer.stop();
  }
}

type Loaded = Omit<Figure, "coldStartMs" | "peakRssMib">;

async function closed(pid: number, load: Load, pace: Pace): Promise<Loaded> {
  const loop = startClosedLoop(load, pace.connections);
  await seconds(pace.warmUpSeconds);
  const window = openWindow(pid, load);
  await seconds(pace.closedSeconds);
  const cost = window();
  await loop.stop();
  return { ...cost, p50Ms: Number.NaN, p99Ms: Number.NaN };
}

async function open(pid: number, load: Load, pace: Pace): Promise<Loaded> {
  await openLoop(load, pace.runsPerSecond, pace.warmUpSeconds);
  const window = openWindow(pid, load);
  const latencies = await openLoop(load, pace.runsPerSecond, pace.openSeconds);
  return { ...window(), p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

/** From now until it is called: what a run has cost. */
function openWindow(pid: number, load: Load): () => Omit<Loaded, "p50Ms" | "p99Ms"> {
  const before = usageOf(pid);
  const runsBefore = load.runs;
  const startedAt = performance.now();
  return () => {
    const after = usageOf(pid);
    const runs = load.runs - runsBefore;
    const mainMicros = ((after.mainSeconds - before.mainSeconds) * 1e6) / runs;
    const otherMicros = ((after.otherSeconds - before.otherSeconds) * 1e6) / runs;
    const runsPerSecond = (runs * 1000) / (performance.now() - startedAt);
    return { mainMicros, otherMicros, cpuMicros: mainMicros + otherMicros, runsPerSecond };
  };
}

async function verify(name: string, scenario: Scenario, load: Load, vendors: Vendors): Promise<void> {
  const { requests, withoutInputs } = await vendors.takeCounts();
  const what = `${name}, ${scenario.sources} sources, ${scenario.kilobytes} KB`;
  if (load.failures > 0)
    throw new Error(`${what}: ${load.failures} of ${load.runs} runs failed, first ${load.firstFailure}`);
  if (requests !== load.runs * scenario.sources)
    throw new Error(`${what}: ${load.runs} runs made ${requests} vendor calls`);
  if (withoutInputs > 0) throw new Error(`${what}: ${withoutInputs} vendor calls came without the inputs`);
}

/** What a caller waits who asks one vendor without anything in between. */
export async function measureDirect(scenario: Scenario, vendors: Vendors, pace: Pace): Promise<Loaded> {
  const body = JSON.stringify({ email: "ada@example.com", phone: "+1 555 5550100" });
  const target: Target = {
    port: vendors.ports[0]!,
    request: Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
    bodyBytesMin: vendors.replyBytes,
  };
  const load = new Load(target);
  // Also warms up the vendors and the load itself, for all peers after it.
  const loop = startClosedLoop(load, pace.connections);
  await seconds(pace.warmUpSeconds);
  await loop.stop();
  await openLoop(load, pace.runsPerSecond, pace.warmUpSeconds);
  const latencies = await openLoop(load, pace.runsPerSecond, pace.openSeconds);
  load.close();
  await verify("a direct call", { ...scenario, sources: 1 }, load, vendors);
  const none = { mainMicros: 0, otherMicros: 0, cpuMicros: 0, runsPerSecond: pace.runsPerSecond };
  return { ...none, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000));
}
