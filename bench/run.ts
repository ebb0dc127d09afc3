/** `npm run bench`: what the service costs beside the least that could do its job and beside what one writes in a day. */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { divideCores } from "./cores.ts";
import { DirectCalls, MeasuredPeer, seconds, type Burst, type Pace, type Setting } from "./measure.ts";
import { createPeerStarter } from "./peers.ts";
import type { Memory } from "./process-tree.ts";
import { toMarkdown, type Result } from "./results.ts";
import { isMeasured, KINDS, LOOPS, PEERS, scenariosOf, type PeerName } from "./scenarios.ts";
import { startVendors } from "./start-vendors.ts";

const HELP = `Usage: npm run bench -- [OPTIONS]

  --quick            five sources, 2 KB, one short round: whether it works, not how fast it is
  --scenarios n1,…   of ${KINDS.join(", ")}: so many sources with 2 KB each,
                     five with 20 or 200 KB, five over TLS
  --loops closed,…   closed: what a run costs; open: what a caller waits, of replies of 2 KB
  --peers NAME,…     of ${PEERS.join(", ")}
  --rounds 5         bursts of each peer, in turn
  --seconds 1.5      how long a burst takes (in an open loop twice that), after
                     a second at full load that is not counted
  --warm-runs 3000   runs of each peer before it is measured, within 5 to 8 seconds
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    scenarios: { type: "string" },
    loops: { type: "string", default: LOOPS.join(",") },
    peers: { type: "string", default: PEERS.join(",") },
    rounds: { type: "string" },
    seconds: { type: "string" },
    "warm-runs": { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

/** So long after the last start what peers hold at rest is looked at. */
const REST_SECONDS = 6;

if (values.help) process.stdout.write(HELP);
else await bench(values.quick);

async function bench(quick: boolean): Promise<void> {
  const scenarios = scenariosOf(
    oneOf(values.scenarios ?? (quick ? "n5" : KINDS.join()), KINDS),
    oneOf(values.loops, LOOPS),
  );
  const peers = oneOf(values.peers, PEERS);
  const rounds = number(values.rounds ?? (quick ? "1" : "5"));
  const burstSeconds = number(values.seconds ?? (quick ? "1" : "1.5"));
  const pace: Pace = {
    warmRuns: number(values["warm-runs"] ?? (quick ? "100" : "3000")),
    // V8 is still compiling what a run needs after three thousand of them.
    warmSecondsMin: quick ? 0.5 : 5,
    warmSecondsMax: quick ? 2 : 8,
    leadSeconds: quick ? 0 : 1,
    closedSeconds: burstSeconds,
    openSeconds: burstSeconds * 2,
    connections: 64,
    runsPerSecond: 100,
  };
  const cores = divideCores();
  const folder = mkdtempSync(join(tmpdir(), "datarun-bench-"));
  const [from, loadBefore] = [new Date(), loadNow()];
  const results: Result[] = [];
  try {
    const starter = await createPeerStarter(folder, cores.peerPrefix);
    for (const scenario of scenarios) {
      const vendors = await startVendors(scenario);
      try {
        const setting = { scenario, vendors, starter, pace };
        const chosen = peers.filter((name) => isMeasured(name, scenario));
        results.push(...(await measureScenario(setting, chosen, rounds, quick ? 0 : REST_SECONDS)));
      } finally {
        await vendors.stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    // Also when a scenario was thrown away: those before it are good.
    const when = `${from.toISOString().slice(0, 16).replace("T", " ")} UTC, ${minutesSince(from)} minutes`;
    const machine = `Node ${process.versions.node}, ${cpus()[0]?.model.trim()}, ${cores.says}`;
    const load = `load of the machine ${loadBefore} before, ${loadNow()} after`;
    const how = `medians of ${rounds} interleaved rounds, ${pace.warmRuns} runs and ${pace.warmSecondsMin} seconds to warm up, ${pace.leadSeconds} before each burst`;
    process.stdout.write(`${when}; ${machine}; ${load}; ${how}.\n\n${toMarkdown(results)}`);
  }
}

/** Starts every peer, warms it up, and measures one after the other in bursts. Each round begins with another peer. */
async function measureScenario(
  setting: Setting,
  names: readonly PeerName[],
  rounds: number,
  restSeconds: number,
): Promise<Result[]> {
  const { scenario } = setting;
  const isOpen = scenario.loop === "open";
  const direct = new DirectCalls(setting);
  const peers: MeasuredPeer[] = [];
  try {
    for (const name of names) peers.push(await MeasuredPeer.start(name, setting));
    await seconds(restSeconds);
    const idle = new Map<MeasuredPeer, Memory>(peers.map((peer) => [peer, peer.memory]));
    if (isOpen) await direct.warmUp();
    for (const peer of peers) await peer.warmUp();
    const bursts = new Map<MeasuredPeer, Burst[]>(peers.map((peer) => [peer, []]));
    const waits: Pick<Burst, "p50Ms" | "p99Ms">[] = [];
    for (let round = 0; round < rounds; round += 1) {
      if (isOpen) waits.push(await direct.burst());
      for (const peer of rotate(peers, round)) bursts.get(peer)!.push(await peer.burst());
    }
    process.stderr.write(`${scenario.kind}, ${scenario.loop} loop: measured\n`);
    return peers.map((peer) => ({
      scenario,
      peer: peer.name,
      coldStartMs: peer.coldStartMs,
      idle: idle.get(peer)!,
      loaded: peer.memory,
      bursts: bursts.get(peer)!,
      direct: waits,
    }));
  } finally {
    direct.close();
    for (const peer of peers) await peer.stop();
  }
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function loadNow(): string {
  return loadavg()[0]!.toFixed(2);
}

function minutesSince(from: Date): string {
  return ((Date.now() - from.getTime()) / 60_000).toFixed(0);
}

function number(text: string): number {
  if (!(Number(text) > 0)) throw new Error(`${text} is not a number above zero`);
  return Number(text);
}

function oneOf<Name extends string>(text: string, names: readonly Name[]): Name[] {
  const list = text.split(",");
  const unknown = list.find((name) => !names.includes(name as Name));
  if (unknown !== undefined) throw new Error(`${unknown} is not one of ${names.join(", ")}`);
  return list as Name[];
}
