import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

const MIB = 1024 * 1024;
const LEAST_BYTES = 32 * MIB;
const MOST_BYTES = 1024 * MIB;
/** Under attack, data takes about three times its size in memory: it is parsed, joined and serialized again. */
const PART = 1 / 8;

/** The default memory limit for callers' data, from the heap, the container and the machine. */
export function defaultMemoryBytes(): number {
  const container = process.constrainedMemory() || totalmem();
  const memory = Math.min(getHeapStatistics().heap_size_limit, container / 2, totalmem() / 2);
  return Math.round(Math.min(MOST_BYTES, Math.max(LEAST_BYTES, memory * PART)));
}
