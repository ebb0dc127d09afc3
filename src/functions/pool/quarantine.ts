import type { Clock } from "../../terms/clock.ts";

/** After this many strikes, a function does not run for an hour, or until its file is loaded again. */
const STRIKES_MAX = 2;
const FORGOTTEN_AFTER_MS = 3_600_000;
/** This many successful runs alone clear a bundle that was only suspected. */
const CLEARED_AFTER = 3;

interface Standing {
  strikes: number;
  lastAt: number;
  soloRunsLeft: number;
}

/**
 * Records which functions are to blame when a process dies. If it is certain, the function gets a strike. If any of
 * several may have caused it, none gets a strike, but each runs alone in a process for a while, so that the next death
 * has one cause. Counted by isolate, so by organization and bundle: one organization's inputs must not make a function
 * unavailable to another.
 */
export interface Quarantine {
  standingOf(key: string): "free" | "alone" | "quarantined";
  /** Returns whether it is quarantined from now on. */
  strike(key: string): boolean;
  suspect(key: string): void;
  /** A run ended without causing harm. */
  ranWell(key: string): void;
  forgetBundle(bundle: string): void;
}

export function createQuarantine(clock: Clock): Quarantine {
  const standings = new Map<string, Standing>();

  function find(key: string): Standing | undefined {
    const standing = standings.get(key);
    if (standing !== undefined && clock.now() - standing.lastAt > FORGOTTEN_AFTER_MS) {
      standings.delete(key);
      return undefined;
    }
    return standing;
  }

  function mark(key: string, strikes: number): Standing {
    const standing = find(key) ?? { strikes: 0, lastAt: 0, soloRunsLeft: 0 };
    standing.strikes += strikes;
    standing.lastAt = clock.now();
    standing.soloRunsLeft = CLEARED_AFTER;
    standings.set(key, standing);
    return standing;
  }

  return {
    standingOf: (key) => {
      const standing = find(key);
      if (standing === undefined) return "free";
      if (standing.strikes >= STRIKES_MAX) return "quarantined";
      return standing.soloRunsLeft > 0 ? "alone" : "free";
    },
    strike: (key) => mark(key, 1).strikes >= STRIKES_MAX,
    suspect: (key) => void mark(key, 0),
    ranWell: (key) => {
      const standing = find(key);
      if (standing !== undefined && standing.soloRunsLeft > 0) standing.soloRunsLeft -= 1;
    },
    forgetBundle: (bundle) => {
      for (const key of standings.keys()) if (key.endsWith(`/${bundle}`)) standings.delete(key);
    },
  };
}

/** Simulated runs have isolates of their own: what they do must not make the function unavailable to real ones. */
export function isolateKey(organizationId: string, bundle: string, simulated = false): string {
  return `${organizationId}${simulated ? "/simulated" : ""}/${bundle}`;
}
