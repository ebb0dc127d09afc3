import type { Burst } from "./measure.ts";
import type { CpuTimes, Memory } from "./process-tree.ts";
import type { PeerName, Scenario } from "./scenarios.ts";

/** All that was measured of one peer in one scenario. */
export interface Result {
  readonly scenario: Scenario;
  readonly peer: PeerName;
  readonly coldStartMs: number;
  /** Some seconds after its start, having answered once. */
  readonly idle: Memory;
  /** After its last burst. */
  readonly loaded: Memory;
  /** By round. */
  readonly bursts: readonly Burst[];
  /** By round. In an open loop, what a caller waits for the vendor alone; empty in a closed one. */
  readonly direct: readonly Pick<Burst, "p50Ms" | "p99Ms">[];
}

/** The results as Markdown: medians of the rounds; a ratio is the median of the ratios within each round. */
export function toMarkdown(results: readonly Result[]): string {
  const closed = results.filter(({ scenario }) => scenario.loop === "closed");
  const open = results.filter(({ scenario }) => scenario.loop === "open");
  return [
    ...(closed.length > 0 ? ["What a run costs:", "", ...costTable(closed), ""] : []),
    ...costOfLimits(closed),
    ...(open.length > 0 ? ["What a caller waits more than for the vendor alone:", "", ...latencyTable(open), ""] : []),
    ...(results.length > 0 ? ["Start and memory:", "", ...startTable(results), ""] : []),
  ].join("\n");
}

function costTable(results: readonly Result[]): string[] {
  return [
    "| scenario | sources x KB | peer | ratio to floor | least .. most | CPU us/run | main | journal | V8's helpers | others | runs/s | loaded MiB: main | whole tree |",
    "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ...results.map((result) => {
      const { scenario, peer, bursts, loaded } = result;
      const ratios = ratiosTo("floor", result, results);
      const part = (name: keyof CpuTimes) => median(bursts.map(({ cpu }) => cpu[name])).toFixed(0);
      return row(
        scenario.kind,
        `${scenario.sources} x ${scenario.kilobytes}`,
        peer,
        ratioOf(ratios),
        ratios.length === 0 ? "" : `${Math.min(...ratios).toFixed(2)} .. ${Math.max(...ratios).toFixed(2)}`,
        median(bursts.map(cpuOf)).toFixed(0),
        part("main"),
        part("journal"),
        part("engine"),
        part("others"),
        median(bursts.map(({ runsPerSecond }) => runsPerSecond)).toFixed(0),
        loaded.mainMib.toFixed(0),
        loaded.treeMib.toFixed(0),
      );
    }),
  ];
}

/** The two peers differ by the limits that their sources declare, by a budget, and by nothing else. */
function costOfLimits(results: readonly Result[]): string[] {
  return results
    .filter(({ peer }) => peer === "datarun limited")
    .map((limited) => ({ limited, ratios: ratiosTo("datarun", limited, results) }))
    .filter(({ ratios }) => ratios.length > 0)
    .flatMap(({ limited: { scenario }, ratios }) => {
      const percent = (ratio: number) => `${((ratio - 1) * 100).toFixed(1)} %`;
      const range = `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))} in single rounds`;
      return [
        `Limits of all kinds and a budget add ${percent(median(ratios))} to a run of ${scenario.sources} sources (${range}).`,
        "",
      ];
    });
}

function latencyTable(results: readonly Result[]): string[] {
  return [
    "| scenario | sources x KB | peer | added p50 ms | added p99 ms | CPU us/run | ratio to floor |",
    "|---|--:|---|--:|--:|--:|--:|",
    ...results.map((result) => {
      const { scenario, peer, bursts, direct } = result;
      return row(
        scenario.kind,
        `${scenario.sources} x ${scenario.kilobytes}`,
        peer,
        median(bursts.map(({ p50Ms }, round) => p50Ms - direct[round]!.p50Ms)).toFixed(2),
        median(bursts.map(({ p99Ms }, round) => p99Ms - direct[round]!.p99Ms)).toFixed(2),
        median(bursts.map(cpuOf)).toFixed(0),
        ratioOf(ratiosTo("floor", result, results)),
      );
    }),
  ];
}

/** Over all scenarios: a peer is started once for each. */
function startTable(results: readonly Result[]): string[] {
  return [
    "| peer | starts | cold start ms | idle MiB: main | whole tree |",
    "|---|--:|--:|--:|--:|",
    ...[...Map.groupBy(results, ({ peer }) => peer)].map(([peer, all]) => {
      const of = (pick: (result: Result) => number) => median(all.map(pick)).toFixed(0);
      const cold = of(({ coldStartMs }) => coldStartMs);
      return row(
        peer,
        all.length,
        cold,
        of(({ idle }) => idle.mainMib),
        of(({ idle }) => idle.treeMib),
      );
    }),
  ];
}

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

function cpuOf({ cpu }: Burst): number {
  return cpu.main + cpu.journal + cpu.engine + cpu.others;
}

/** Of each round; none where the other peer was not measured. */
function ratiosTo(peer: PeerName, { scenario, bursts }: Result, results: readonly Result[]): number[] {
  const base = results.find((other) => other.peer === peer && other.scenario === scenario);
  return base === undefined ? [] : bursts.map((burst, round) => cpuOf(burst) / cpuOf(base.bursts[round]!));
}

function ratioOf(ratios: readonly number[]): string {
  return ratios.length === 0 ? "" : median(ratios).toFixed(2);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
