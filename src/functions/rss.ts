import { readFileSync } from "node:fs";

/**
 * How to read the resident memory of a process, in bytes, from outside, whatever it is busy with; a reading costs some
 * microseconds. 0 where there is no `/proc`, or the process has gone.
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
