import assert from "node:assert/strict";
import type { Lease } from "./around/ports.ts";
import { leasesInMemory, MemoryLeases } from "../leases/deployment.kit.ts";
import type { SourceLimits } from "../sdk/source.ts";
import { settle, type FakeClock } from "../terms/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import { SourceTurns } from "./source-turns.ts";
import type { Turn } from "./turns-ahead.ts";

export const WAIT_MS = 1_000;
export const CALL_MS = 10_000;

export interface Watched {
  readonly turns: SourceTurns;
  readonly store: MemoryLeases;
  /** The limit on calls at once first, if there is one, then the rates. */
  readonly leases: readonly Lease[];
  readonly close: () => Promise<void>;
}

/** The turns of one source, in a deployment of one process, with what they are made of. */
export function watchedTurns(
  { concurrency, rate = [] }: Pick<SourceLimits, "concurrency" | "rate">,
  clock: FakeClock,
): Watched {
  const store = new MemoryLeases(clock.wall);
  const { leaseOf, close } = leasesInMemory(clock, store);
  const limit = (name: string, max: number, everyMs: number | null) => {
    return { lease: leaseOf({ name, max, everyMs, useMsMax: CALL_MS }, "anyone"), max, isRate: everyMs !== null };
  };
  const rates = rate.map(({ max, every_ms: everyMs }, at) => limit(`rate ${at}`, max, everyMs));
  const limits = concurrency === undefined ? rates : [limit("concurrency", concurrency, null), ...rates];
  return { turns: new SourceTurns(limits, clock, true), store, leases: limits.map(({ lease }) => lease), close };
}

export function turnsOf(limits: Pick<SourceLimits, "concurrency" | "rate">, clock: FakeClock): SourceTurns {
  return watchedTurns(limits, clock).turns;
}

export interface Entered {
  /** "waits", "in", or the code of a fault. */
  outcome: string;
  /** By `Clock.wall`; `null` unless it is in. */
  inAt: number | null;
  leave(): void;
  undo(): void;
}

/** Enters, and gives whatever can settle the time to settle. */
export async function enter(turns: SourceTurns, owner: string, clock: FakeClock): Promise<Entered> {
  const entered = enterNow(turns, owner, clock);
  await settle();
  return entered;
}

export function enterNow(turns: SourceTurns, owner: string, clock: FakeClock, callMs = CALL_MS): Entered {
  const notIn = () => assert.fail("it is not in");
  const entered: Entered = { outcome: "waits", inAt: null, leave: notIn, undo: notIn };
  const isIn = (turn: Turn): void =>
    void Object.assign(entered, {
      outcome: "in",
      inAt: clock.wall(),
      leave: () => turn.leave(),
      undo: () => turn.undo(),
    });
  const ended = (fault: unknown): void => void (entered.outcome = fault instanceof Fault ? fault.code : String(fault));
  try {
    const ask = { owner, deadlineAt: clock.now() + callMs, waitMaxMs: WAIT_MS };
    const turn = turns.enter(ask, clock.now());
    if (turn instanceof Promise) turn.then(isIn, ended);
    else isIn(turn);
  } catch (fault) {
    ended(fault);
  }
  return entered;
}

export async function enterMany(
  turns: SourceTurns,
  owner: string,
  count: number,
  clock: FakeClock,
): Promise<Entered[]> {
  const entered = Array.from({ length: count }, () => enterNow(turns, owner, clock));
  await settle();
  return entered;
}

export function inside(entered: readonly Entered[]): number {
  return entered.filter(({ outcome }) => outcome === "in").length;
}
