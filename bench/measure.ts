import { Load, openLoop, quantile, startClosedLoop } from "./load.ts";
import type { Peer, PeerStarter } from "./peers.ts";
import { cpuMicros, memoryOf, threadTimesOf, type CpuTimes, type Memory } from "./process-tree.ts";
import type { PeerName, Scenario } from "./scenarios.ts";
import type { Vendors } from "./start-vendors.ts";

export interface Pace {
  /** So many runs before anything is measured, but no shorter and no longer than so many seconds. */
  readonly warmRuns: number;
  readonly warmSecondsMin: number;
  readonly warmSecondsMax: number;
  /** At full load before each burst of a closed loop. */
  readonly leadSeconds: number;
  /** One burst of one peer. */
  readonly closedSeconds: number;
  readonly openSeconds: number;
  /** In a closed loop. */
  readonly connections: number;
  /** In an open loop. */
  readonly runsPerSecond: number;
}

/** What one burst of one peer gave. */
export interface Burst {
  /** Microseconds of one run. */
  readonly cpu: CpuTimes;
  readonly runsPerSecond: number;
  /** Of an open loop: from when a request was due to its whole answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A sparing peer could drop a little of the JSON, such as blanks; one that lost a vendor's answer is far below this. */
const BODY_SHARE_MIN = 0.9;
const WARM_STEP_SECONDS = 0.25;

/** One peer that runs, from its start to its end. It is measured in bursts, in turn with others that run too. */
export class MeasuredPeer {
  readonly name: PeerName;
  /** From its launch to its first whole answer. */
  readonly coldStartMs: number;
  readonly #peer: Peer;
  readonly #load: Load;
  readonly #scenario: Scenario;
  readonly #vendors: Vendors;
  readonly #pace: Pace;

  private constructor(
    name: PeerName,
    peer: Peer,
    load: Load,
    coldStartMs: number,
    { scenario, vendors, pace }: Setting,
  ) {
    this.name = name;
    this.#peer = peer;
    this.#load = load;
    this.coldStartMs = coldStartMs;
    this.#scenario = scenario;
    this.#vendors = vendors;
    this.#pace = pace;
  }

  /** @throws when its first run fails */
  static async start(name: PeerName, setting: Setting): Promise<MeasuredPeer> {
    const { scenario, vendors, starter } = setting;
    await starter.prepare(name, vendors);
    await vendors.takeCounts();
    const launchedAt = performance.now();
    const peer = await starter.start(name, vendors);
    const load = new Load({
      port: peer.port,
      request: starter.request(scenario.sources),
      bodyBytesMin: scenario.sources * vendors.replyBytes * BODY_SHARE_MIN,
    });
    await load.run();
    const measured = new MeasuredPeer(
      name,
      peer,
      load,
      performance.now() - launchedAt - scenario.vendorDelayMs,
      setting,
    );
    try {
      await measured.#verify(0);
    } catch (error) {
      await measured.stop();
      throw error;
    }
    return measured;
  }

  get memory(): Memory {
    return memoryOf(this.#peer.pid);
  }

  async warmUp(): Promise<void> {
    const { warmRuns, warmSecondsMin, warmSecondsMax, connections } = this.#pace;
    const runsBefore = this.#load.runs;
    const from = performance.now();
    const loop = startClosedLoop(this.#load, connections);
    for (let took = 0; took < warmSecondsMax; took = (performance.now() - from) / 1000) {
      if (took >= warmSecondsMin && this.#load.runs - runsBefore >= warmRuns) break;
      await seconds(WARM_STEP_SECONDS);
    }
    await loop.stop();
    await this.#verify(runsBefore);
  }

  /** @throws when any run failed, or when the vendors were not called exactly once by each run and source */
  async burst(): Promise<Burst> {
    const runsBefore = this.#load.runs;
    const burst = this.#scenario.loop === "closed" ? await this.#closedLoop() : await this.#openLoop();
    await this.#verify(runsBefore);
    return burst;
  }

  async #closedLoop(): Promise<Burst> {
    const { leadSeconds, closedSeconds, connections } = this.#pace;
    const loop = startClosedLoop(this.#load, connections);
    // After a pause V8's helpers have more to do for each run at first.
    await seconds(leadSeconds);
    const cost = this.#count();
    await seconds(closedSeconds);
    const burst = { ...cost(), p50Ms: Number.NaN, p99Ms: Number.NaN };
    await loop.stop();
    return burst;
  }

  async #openLoop(): Promise<Burst> {
    const { openSeconds, runsPerSecond } = this.#pace;
    const cost = this.#count();
    const latencies = await openLoop(this.#load, runsPerSecond, openSeconds);
    return { ...cost(), p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
  }

  /** From now on, until what is returned is called. */
  #count(): () => Pick<Burst, "cpu" | "runsPerSecond"> {
    const runsBefore = this.#load.runs;
    const before = threadTimesOf(this.#peer.pid);
    const from = performance.now();
    return () => {
      const runs = this.#load.runs - runsBefore;
      const cpu = cpuMicros(before, threadTimesOf(this.#peer.pid), runs);
      return { cpu, runsPerSecond: (runs * 1000) / (performance.now() - from) };
    };
  }

  async stop(): Promise<void> {
    this.#load.close();
    await this.#peer.stop();
  }

  async #verify(runsBefore: number): Promise<void> {
    await verify(this.name, this.#scenario, this.#load, runsBefore, this.#vendors);
  }
}

/** What all peers of a scenario share. */
export interface Setting {
  readonly scenario: Scenario;
  readonly vendors: Vendors;
  readonly starter: PeerStarter;
  readonly pace: Pace;
}

async function verify(
  name: string,
  { kind, sources }: Pick<Scenario, "kind" | "sources">,
  load: Load,
  runsBefore: number,
  vendors: Vendors,
): Promise<void> {
  const { requests, withoutInputs } = await vendors.takeCounts();
  const runs = load.runs - runsBefore;
  const what = `${name}, ${kind}`;
  if (load.failures > 0)
    throw new Error(`${what}: ${load.failures} of ${load.runs} runs failed, first ${load.firstFailure}`);
  if (requests !== runs * sources) throw new Error(`${what}: ${runs} runs made ${requests} vendor calls`);
  if (withoutInputs > 0) throw new Error(`${what}: ${withoutInputs} vendor calls came without the inputs`);
}

/** What a caller waits who asks one vendor without anything in between. */
export class DirectCalls {
  readonly #setting: Setting;
  readonly #load: Load;

  constructor(setting: Setting) {
    const { vendors } = setting;
    const body = JSON.stringify({ email: "ada@example.com", phone: "+1 555 5550100" });
    this.#setting = setting;
    this.#load = new Load({
      port: vendors.ports[0]!,
      ...(vendors.authority === null ? {} : { authority: vendors.authority }),
      request: Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      bodyBytesMin: vendors.replyBytes,
    });
  }

  /** Also warms up the vendors and the load itself, for all peers after it. */
  async warmUp(): Promise<void> {
    const loop = startClosedLoop(this.#load, this.#setting.pace.connections);
    await seconds(this.#setting.pace.warmSecondsMin);
    await loop.stop();
    await this.#setting.vendors.takeCounts();
  }

  async burst(): Promise<Pick<Burst, "p50Ms" | "p99Ms">> {
    const { pace, scenario, vendors } = this.#setting;
    const runsBefore = this.#load.runs;
    const latencies = await openLoop(this.#load, pace.runsPerSecond, pace.openSeconds);
    await verify("a direct call", { kind: scenario.kind, sources: 1 }, this.#load, runsBefore, vendors);
    return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
  }

  close(): void {
    this.#load.close();
  }
}

export function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000));
}
