import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

const MIB = 1024 * 1024;
const LEAST_BYTES = 32 * MIB;
const MOST_BYTES = 1024 * MIB;
/** Bytes that are held are parsed, joined and written again: under attack what they take in all is some three times what they measure. */
const PART = 1 / 8;

/** What may be held for callers where the operator has said nothing: by the heap, the container and the machine. */
export function heldBytesByDefault(): number {
  const container = process.constrainedMemory() || totalmem();
  const memory = Math.min(getHeapStatistics().heap_size_limit, container / 2, totalmem() / 2);
  return Math.round(Math.min(MOST_BYTES, Math.max(LEAST_BYTES, memory * PART)));
}
