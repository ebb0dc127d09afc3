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

/** Linux reports times in hundredths of a second, whatever unit its kernel counts in. */
const TICK_MS = 10;

/**
 * Returns a function that reads how much processor time, in ms, all threads of a process have used from now on. It
 * returns 0 without `/proc` and for a process that is gone.
 */
export function openCpuTime(pid: number): () => number {
  const before = ticksOf(pid);
  return () => Math.max(0, ticksOf(pid) - before) * TICK_MS;
}

function ticksOf(pid: number): number {
  try {
    // The program's name, in parentheses, may contain any character.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
