/** `npm run bench`: what the service costs beside the least that could do its job and beside what one writes in a day. */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { divideCores } from "./cores.ts";
import { measure, measureDirect, type Pace } from "./measure.ts";
import { createPeerStarter } from "./peers.ts";
import { toMarkdown, type Result } from "./results.ts";
import { isMeasured, PEERS, scenariosOf, type Choice, type PeerName, type Scenario } from "./scenarios.ts";
import { startVendors } from "./start-vendors.ts";

const HELP = `Usage: npm run bench -- [OPTIONS]

  --quick              five sources, 2 KB, one short round: whether it works, not how fast it is
  --sources 1,5,20     numbers of sources in a run
  --kilobytes 2,20,200 sizes of a vendor's reply (200 with five sources only)
  --loops closed,open  closed: what a run costs; open: what a caller waits
  --peers NAME,…       of ${PEERS.join(", ")}
  --rounds 2           each figure is the median of so many
  --seconds 3          how long a figure is measured (an open loop takes twice that)
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    sources: { type: "string" },
    kilobytes: { type: "string" },
    loops: { type: "string", default: "closed,open" },
    peers: { type: "string", default: PEERS.join(",") },
    rounds: { type: "string" },
    seconds: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else await bench();

async function bench(): Promise<void> {
  const choice: Choice = {
    sources: numbers(values.sources ?? (values.quick ? "5" : "1,5,20")),
    kilobytes: numbers(values.kilobytes ?? (values.quick ? "2" : "2,20,200")),
    loops: oneOf(values.loops, ["closed", "open"]),
  };
  const peers = oneOf(values.peers, PEERS);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 2));
  const seconds = Number(values.seconds ?? (values.quick ? 1 : 3));
  const pace: Pace = {
    warmUpSeconds: values.quick ? 1 : 2,
    closedSeconds: seconds,
    openSeconds: seconds * 2,
    connections: 64,
    runsPerSecond: 100,
  };
  const cores = divideCores();
  const folder = mkdtempSync(join(tmpdir(), "datarun-bench-"));
  const results: Result[] = [];
  try {
    const starter = await createPeerStarter(folder, cores.peerPrefix);
    for (let round = 1; round <= rounds; round += 1) {
      for (const scenario of scenariosOf(choice)) {
        results.push(...(await runScenario(scenario, round, peers, pace, starter)));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    // Also when a figure was thrown away: those before it are good.
    const machine = `Node ${process.versions.node}, ${cpus()[0]?.model.trim()}, ${cores.says}`;
    process.stdout.write(`${machine}; medians of ${rounds} interleaved rounds.\n\n${toMarkdown(results)}\n`);
  }
}

/** Every peer once, one after the other, against the same vendors. Each round begins with another peer. */
async function runScenario(
  scenario: Scenario,
  round: number,
  peers: readonly PeerName[],
  pace: Pace,
  starter: Awaited<ReturnType<typeof createPeerStarter>>,
): Promise<Result[]> {
  const results: Result[] = [];
  const vendors = await startVendors(scenario);
  try {
    const direct = scenario.loop === "open" ? await measureDirect(scenario, vendors, pace) : null;
    for (const peer of rotate(peers, round - 1).filter((name) => isMeasured(name, scenario))) {
      const figure = await measure(peer, scenario, vendors, starter, pace);
      const waits = scenario.loop === "open" ? `, p50 ${figure.p50Ms.toFixed(2)} ms` : "";
      process.stderr.write(
        `round ${round}: ${scenario.sources} x ${scenario.kilobytes} KB, ${scenario.loop}, ${peer}: ${figure.cpuMicros.toFixed(0)} us/run${waits}\n`,
      );
      results.push({ round, scenario, peer, figure, direct });
    }
  } finally {
    await vendors.stop();
  }
  return results;
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function numbers(text: string): number[] {
  const list = text.split(",").map(Number);
  if (list.some((number) => !Number.isInteger(number) || number < 1)) throw new Error(`${text} is no list of numbers`);
  return list;
}

function oneOf<Name extends string>(text: string, names: readonly Name[]): Name[] {
  const list = text.split(",");
  const unknown = list.find((name) => !names.includes(name as Name));
  if (unknown !== undefined) throw new Error(`${unknown} is not one of ${names.join(", ")}`);
  return list as Name[];
}
