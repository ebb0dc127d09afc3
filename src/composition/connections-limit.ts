import { readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

const MOST = 10_000;
/** Where the system does not say. */
const FILES_USUAL = 1_024;
/** What a connection may take: the bytes that wait on it, here and in the kernel, its parser, its head. */
const MEMORY_PER_CONNECTION = 512 * 1024;

/**
 * How many clients may be connected where the operator has said nothing: half of the files that the process may open, so
 * that vendors, the store, functions and probes have the other half, and no more than the memory bears.
 */
export function connectionsByDefault(): number {
  const byMemory = getHeapStatistics().heap_size_limit / MEMORY_PER_CONNECTION;
  return Math.floor(Math.max(16, Math.min(MOST, filesMax() / 2, byMemory)));
}

export const IDLE_MOST = 4_096;

/** How many idle connections to vendors are kept, for all organizations: a quarter of those files. */
export function idleConnectionsByDefault(): number {
  return Math.floor(Math.min(IDLE_MOST, filesMax() / 4));
}

function filesMax(): number {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return files === undefined ? FILES_USUAL : Number(files);
  } catch {
    return FILES_USUAL;
  }
}
