import type { Figure } from "./measure.ts";
import type { PeerName, Scenario } from "./scenarios.ts";

/** One measurement as it was taken. In an open loop `direct` is what a caller waits for the vendor alone. */
export interface Result {
  readonly round: number;
  readonly scenario: Scenario;
  readonly peer: PeerName;
  readonly figure: Figure;
  readonly direct: { readonly p50Ms: number; readonly p99Ms: number } | null;
}

/** The results as Markdown: medians of the rounds; a ratio is the median of the ratios within each round. */
export function toMarkdown(results: readonly Result[]): string {
  const closed = results.filter(({ scenario }) => scenario.loop === "closed");
  const open = results.filter(({ scenario }) => scenario.loop === "open");
  return [...(closed.length > 0 ? costTable(closed) : []), ...(open.length > 0 ? latencyTable(open) : [])].join("\n");
}

function costTable(results: readonly Result[]): string[] {
  return [
    "| sources | reply KB | peer | CPU us/run | main thread | other threads | ratio to floor | runs/s | peak RSS MiB | cold start ms |",
    "|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ...groups(results).map((group) => {
      const { scenario, peer } = group[0]!;
      const of = (pick: (figure: Figure) => number) => median(group.map(({ figure }) => pick(figure))).toFixed(0);
      return row(
        scenario.sources,
        scenario.kilobytes,
        peer,
        of((figure) => figure.cpuMicros),
        of((figure) => figure.mainMicros),
        of((figure) => figure.otherMicros),
        ratioToFloor(group, results),
        of((figure) => figure.runsPerSecond),
        of((figure) => figure.peakRssMib),
        of((figure) => figure.coldStartMs),
      );
    }),
    "",
  ];
}

function latencyTable(results: readonly Result[]): string[] {
  return [
    "| sources | peer | added p50 ms | added p99 ms | CPU us/run | ratio to floor |",
    "|--:|---|--:|--:|--:|--:|",
    ...groups(results).map((group) => {
      const { scenario, peer } = group[0]!;
      const p50 = median(group.map(({ figure, direct }) => figure.p50Ms - direct!.p50Ms));
      const p99 = median(group.map(({ figure, direct }) => figure.p99Ms - direct!.p99Ms));
      const cpu = median(group.map(({ figure }) => figure.cpuMicros));
      return row(scenario.sources, peer, p50.toFixed(2), p99.toFixed(2), cpu.toFixed(0), ratioToFloor(group, results));
    }),
    "",
  ];
}

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** The rounds of each scenario and peer, in the order they were first measured. */
function groups(results: readonly Result[]): Result[][] {
  return [...Map.groupBy(results, ({ scenario, peer }) => `${keyOf(scenario)} ${peer}`).values()].sort(
    (a, b) => results.indexOf(firstOf(a[0]!.scenario, results)) - results.indexOf(firstOf(b[0]!.scenario, results)),
  );
}

function firstOf(scenario: Scenario, results: readonly Result[]): Result {
  return results.find((result) => keyOf(result.scenario) === keyOf(scenario))!;
}

function ratioToFloor(group: readonly Result[], results: readonly Result[]): string {
  const ratios = group.flatMap(({ round, scenario, figure }) => {
    const floor = results.find(
      (other) => other.round === round && other.peer === "floor" && keyOf(other.scenario) === keyOf(scenario),
    );
    return floor === undefined ? [] : [figure.cpuMicros / floor.figure.cpuMicros];
  });
  return ratios.length === 0 ? "" : median(ratios).toFixed(2);
}

function keyOf({ loop, sources, kilobytes }: Scenario): string {
  return `${loop} ${sources} ${kilobytes}`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
