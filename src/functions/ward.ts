import type { IsolateProcess } from "./child-process.ts";
import type { Running } from "./running.ts";

/** One process and what is going on in it. */
export interface Ward {
  readonly process: IsolateProcess;
  readonly runs: Map<number, Running>;
  readonly bornAt: number;
  ready: boolean;
  /** Takes nothing new, and goes when it is empty. */
  retired: boolean;
  /** Has one run that must be alone. */
  alone: boolean;
  /** Isolate keys known to be the reason of its death. */
  blamed: string[];
  /** Its death is already accounted for. */
  blameSettled: boolean;
  /** Asked to end what is executing; killed if that does not help in time. */
  shedding: boolean;
  killed: boolean;
  gone: Promise<void>;
}

export interface PlacingLimits {
  /** How many processes take runs; what is ready beyond them stands by. */
  readonly children: number;
  readonly runsPerChild: number;
}

/**
 * The process for a run: the least busy of those that take runs, and among equals always the same for the same isolate,
 * where it is likely to be warm. A run that must be alone may use any that is empty. None: it waits.
 */
export function chooseWard(
  wards: Iterable<Ward>,
  isolate: string,
  alone: boolean,
  limits: PlacingLimits,
): Ward | undefined {
  const ready = [...wards].filter((ward) => ward.ready && !ward.retired);
  if (alone) return ready.findLast((ward) => ward.runs.size === 0);
  const open = ready.slice(0, limits.children).filter((ward) => !ward.alone && ward.runs.size < limits.runsPerChild);
  if (open.length < 2) return open[0];
  const home = open[hashOf(isolate) % open.length]!;
  const least = open.reduce((best, ward) => (ward.runs.size < best.runs.size ? ward : best));
  return home.runs.size === least.runs.size ? home : least;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash >>> 0;
}
