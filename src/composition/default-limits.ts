import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

const CONNECTIONS_MAX = 10_000;
/** Assumed if the system does not report a limit. */
const FILES_USUAL = 1_024;
/**
 * The memory that a connection may use: bytes buffered here and in the kernel, its parser, and its request's header
 * fields.
 */
const MEMORY_PER_CONNECTION = 512 * 1024;

/**
 * The default limit on client connections: half of the files that the process may open, so that vendors, the store,
 * functions and probes have the other half, and no more than fit in memory.
 */
export function defaultConnections(): number {
  const byMemory = getHeapStatistics().heap_size_limit / MEMORY_PER_CONNECTION;
  return Math.floor(Math.max(16, Math.min(CONNECTIONS_MAX, filesMax() / 2, byMemory)));
}

export const IDLE_CONNECTIONS_MAX = 4_096;

/**
 * The most idle connections to vendors, for all organizations together: a quarter of the files that the process may
 * open.
 */
export function defaultIdleConnections(): number {
  return Math.floor(Math.min(IDLE_CONNECTIONS_MAX, filesMax() / 4));
}

export const VENDOR_SOCKETS_MAX = 8_192;

/**
 * The most connections to vendors in use or being opened, for all organizations together: a fifth of the files that the
 * process may open. With clients' connections and idle ones this leaves a twentieth for everything else.
 */
export function defaultVendorSockets(): number {
  return Math.floor(Math.min(VENDOR_SOCKETS_MAX, filesMax() / 5));
}

function filesMax(): number {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return files === undefined ? FILES_USUAL : Number(files);
  } catch {
    return FILES_USUAL;
  }
}

const MIB = 1024 * 1024;
const MEMORY_BYTES_MIN = 32 * MIB;
const MEMORY_BYTES_MAX = 1024 * MIB;
/** Under attack, data takes about three times its size in memory: it is parsed, joined and serialized again. */
const MEMORY_PART = 1 / 8;

/** The default memory limit for callers' data, from the heap, the container and the machine. */
export function defaultMemoryBytes(): number {
  const container = process.constrainedMemory() || totalmem();
  const memory = Math.min(getHeapStatistics().heap_size_limit, container / 2, totalmem() / 2);
  return Math.round(Math.min(MEMORY_BYTES_MAX, Math.max(MEMORY_BYTES_MIN, memory * MEMORY_PART)));
}
