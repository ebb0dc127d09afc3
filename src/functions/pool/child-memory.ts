const MIB = 1024 * 1024;
const MOST_MB = 320;
/** An idle process takes some 60, and a run of a plain function up to twice its 64. */
const LEAST_MB = 192;
/** So that one process over its limit leaves room for the service and for another. */
const PART = 3 / 8;

/** The size in MiB above which a process for functions of 64 MB is examined. It depends on the container's memory. */
export function childMemoryMbIn(containerBytes: number): number {
  // Without a container's limit this is 0, or more than any machine has.
  if (containerBytes === 0) return MOST_MB;
  return Math.min(MOST_MB, Math.max(LEAST_MB, Math.floor((containerBytes * PART) / MIB)));
}
