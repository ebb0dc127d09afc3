import type { IsolateProcess } from "./child-process.ts";
import type { ReplyQueue } from "./reply-queue.ts";
import type { Running } from "./running.ts";

/** Runs that are granted no more than this share a process with those of others. */
export const PLAIN_MEMORY_MB = 64;
const MEGABYTE = 1_048_576;

/** One process and what is going on in it. */
export interface HostProcess {
  readonly process: IsolateProcess;
  readonly runs: Map<number, Running>;
  readonly replies: ReplyQueue;
  readonly bornAt: number;
  readonly gone: Promise<void>;
  ready: boolean;
  /** What it took before its first run. */
  emptyBytes: number;
  /** Takes nothing new, and goes when it is empty. */
  retired: boolean;
  /** Set for a process that holds the runs of one organization only; once set apart it stays so. */
  apart: Apart | null;
  /** Isolate keys known to be the reason of its death. */
  readonly blamed: Set<string>;
  /** Its death is already accounted for. */
  blameSettled: boolean;
  killed: boolean;
}

export interface Apart {
  /** Whose runs are in it; `null`: it is free for anybody's. */
  owner: string | null;
  /** Its one run must have it alone. */
  exclusive: boolean;
  /** What its runs are granted together. */
  grantedMb: number;
  /** The most that they were granted since it was empty: what ends leaves its garbage behind, which is nobody's fault. */
  mostGrantedMb: number;
}

export function newApart(): Apart {
  return { owner: null, exclusive: false, grantedMb: 0, mostGrantedMb: 0 };
}

/** Where its memory is looked into. V8 needs up to twice what a function keeps; in plain processes few keep much. */
export function limitBytes(host: HostProcess, plainMb: number): number {
  const beyondPlainMb = Math.max(0, (host.apart?.mostGrantedMb ?? 0) - PLAIN_MEMORY_MB);
  return (plainMb + 2 * beyondPlainMb) * MEGABYTE;
}

export function isOpen(host: HostProcess): boolean {
  return host.ready && !host.retired;
}
