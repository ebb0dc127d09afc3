import { readFileSync } from "node:fs";

/**
 * Returns a function that reads the resident memory of a process, in bytes, from outside, however busy that process is.
 * A reading takes some microseconds. It returns 0 without `/proc` and for a process that is gone.
 */
export function openRss(pid: number): () => number {
  const path = `/proc/${pid}/status`;
  return () => {
    try {
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(path, "latin1"))?.[1] ?? 0) * 1_024;
    } catch {
      return 0;
    }
  };
}
