/** What is asked of a peer. */
export interface Scenario {
  readonly kind: Kind;
  readonly sources: number;
  readonly kilobytes: number;
  /** The vendors speak HTTPS. */
  readonly tls: boolean;
  readonly vendorDelayMs: number;
  /** `closed`: as busy as it can be, for its cost. `open`: requests at random moments of a rate, for what a caller waits. */
  readonly loop: "closed" | "open";
}

/** How many vendors a run asks, and how large each reply is. */
const SHAPES = {
  n1: { sources: 1, kilobytes: 2, tls: false },
  n5: { sources: 5, kilobytes: 2, tls: false },
  n20: { sources: 20, kilobytes: 2, tls: false },
  k20: { sources: 5, kilobytes: 20, tls: false },
  k200: { sources: 5, kilobytes: 200, tls: false },
  tls5: { sources: 5, kilobytes: 2, tls: true },
};
export type Kind = keyof typeof SHAPES;
export const KINDS = Object.keys(SHAPES) as readonly Kind[];

export const PEERS = ["floor", "handwritten", "datarun", "datarun limited", "datarun mapped"] as const;
export type PeerName = (typeof PEERS)[number];

export const LOOPS = ["closed", "open"] as const;

/** Slower vendors than none, so that a run waits as real ones do. */
const OPEN_LOOP_DELAY_MS = 20;
const SMALL_KILOBYTES = 2;

/** Every cost scenario of a choice, then every latency scenario: latency only of small replies. */
export function scenariosOf(kinds: readonly Kind[], loops: readonly Scenario["loop"][]): Scenario[] {
  const shaped = kinds.map((kind) => ({ kind, ...SHAPES[kind] }));
  const closed = shaped.map((shape) => ({ ...shape, vendorDelayMs: 0, loop: "closed" as const }));
  const open = shaped
    .filter(({ kilobytes }) => kilobytes === SMALL_KILOBYTES)
    .map((shape) => ({ ...shape, vendorDelayMs: OPEN_LOOP_DELAY_MS, loop: "open" as const }));
  return [...(loops.includes("closed") ? closed : []), ...(loops.includes("open") ? open : [])];
}

/**
 * The limited variant differs by counting alone, so it is measured where that is the largest part. The mapped variant differs by JSON alone, so it is measured where payload matters. At 200 KB, the parsed replies of 64 runs
 * at once exceed the memory budget (`limits.expert.held_bytes`), and the service refuses some of them.
 */
export function isMeasured(peer: PeerName, { kind, loop }: Scenario): boolean {
  if (peer === "datarun limited") return loop === "closed" && kind === "n5";
  return peer !== "datarun mapped" || (loop === "closed" && ["n5", "k20"].includes(kind));
}
