/** What is asked of a peer. */
export interface Scenario {
  readonly sources: number;
  readonly kilobytes: number;
  readonly vendorDelayMs: number;
  /** `closed`: as busy as it can be, for its cost. `open`: requests at random moments of a rate, for what a caller waits. */
  readonly loop: "closed" | "open";
}

export const PEERS = ["floor", "handwritten", "datarun", "datarun mapped"] as const;
export type PeerName = (typeof PEERS)[number];

export interface Choice {
  readonly sources: readonly number[];
  readonly kilobytes: readonly number[];
  readonly loops: readonly Scenario["loop"][];
}

/** Slower vendors than none, so that a run waits as real ones do. */
const OPEN_LOOP_DELAY_MS = 20;
const LARGE_KILOBYTES = 200;

/** Every cost scenario of a choice, then every latency scenario: 200 KB only at five sources, latency only at 2 KB. */
export function scenariosOf({ sources, kilobytes, loops }: Choice): Scenario[] {
  const closed = kilobytes.flatMap((size) =>
    sources
      .filter((count) => size < LARGE_KILOBYTES || count === 5)
      .map((count) => ({ sources: count, kilobytes: size, vendorDelayMs: 0, loop: "closed" as const })),
  );
  const open = sources.map((count) => ({
    sources: count,
    kilobytes: 2,
    vendorDelayMs: OPEN_LOOP_DELAY_MS,
    loop: "open" as const,
  }));
  return [...(loops.includes("closed") ? closed : []), ...(loops.includes("open") ? open : [])];
}

/** The mapped variant differs by JSON alone: it is measured where payload is the question. */
export function isMeasured(peer: PeerName, scenario: Scenario): boolean {
  return peer !== "datarun mapped" || (scenario.loop === "closed" && scenario.sources === 5);
}
