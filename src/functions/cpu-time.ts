import { readFileSync } from "node:fs";

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
