import type { IsolateProcess } from "./child-process.ts";
import type { ReplyQueue } from "./reply-queue.ts";
import type { Running } from "./running.ts";

/** Runs that may use at most this much share a process with those of other organizations. */
export const PLAIN_MEMORY_MB = 64;
const MEGABYTE = 1_048_576;

/** One process and its state. */
export interface HostProcess {
  readonly process: IsolateProcess;
  readonly runs: Map<number, Running>;
  readonly replies: ReplyQueue;
  readonly bornAt: number;
  readonly gone: Promise<void>;
  ready: boolean;
  /** Its memory before its first run. */
  emptyBytes: number;
  /** Takes no new runs, and is ended when its last one has ended. */
  retired: boolean;
  /** A thread in it does not leave its isolate, so it is killed when nobody else runs in it any more. */
  isStuck: boolean;
  /** One of its functions has turned out to use much CPU time. */
  isBusy: boolean;
  /** All other processes come first, for good. */
  yields: boolean;
  /** Set for a process with the runs of one organization only; it stays so for good. */
  apart: Apart | null;
  /** The isolate keys that are known to have caused its death. */
  readonly blamed: Set<string>;
  /** Blame for its death has already been assigned. */
  blameSettled: boolean;
  killed: boolean;
}

export interface Apart {
  /** The organization of its runs; `null`: free for any. */
  owner: string | null;
  /** Its one run must be alone in it. */
  exclusive: boolean;
  /** The memory that its current runs may use together. */
  grantedMb: number;
  /** The highest `grantedMb` since it was empty, because the garbage of ended runs is nobody's fault. */
  mostGrantedMb: number;
}

export function newApart(): Apart {
  return { owner: null, exclusive: false, grantedMb: 0, mostGrantedMb: 0 };
}

/**
 * The resident size above which its memory is examined. V8 needs up to twice what a function keeps; in processes for
 * everyone, few functions keep much.
 */
export function limitBytes(host: HostProcess, plainMb: number): number {
  const beyondPlainMb = Math.max(0, (host.apart?.mostGrantedMb ?? 0) - PLAIN_MEMORY_MB);
  return (plainMb + 2 * beyondPlainMb) * MEGABYTE;
}

/** From now on, its threads get the CPU time that other processes leave. */
export function letOthersFirst(host: HostProcess): void {
  if (!host.yields) host.process.letOthersFirst();
  host.yields = true;
}

export function isOpen(host: HostProcess): boolean {
  return host.ready && !host.retired;
}
