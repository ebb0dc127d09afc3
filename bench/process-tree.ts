import { readdirSync, readFileSync } from "node:fs";

/** `USER_HZ`, which is this on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface Usage {
  /** CPU seconds, user and system, of the first thread: the one that answers requests. */
  readonly mainSeconds: number;
  /** Of all other threads, garbage collection's among them, and of all child processes. */
  readonly otherSeconds: number;
  /** The most memory that the processes have held, each at its own moment. */
  readonly peakRssMib: number;
}

/** What a process and all below it have used so far, from /proc. */
export function usageOf(pid: number): Usage {
  let ticks = 0;
  let peakKib = 0;
  for (const member of treeOf(pid)) {
    ticks += ticksOf(`/proc/${member}/stat`);
    peakKib += Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${member}/status`))?.[1] ?? 0);
  }
  const mainTicks = ticksOf(`/proc/${pid}/task/${pid}/stat`);
  return {
    mainSeconds: mainTicks / TICKS_PER_SECOND,
    otherSeconds: (ticks - mainTicks) / TICKS_PER_SECOND,
    peakRssMib: peakKib / 1024,
  };
}

function ticksOf(file: string): number {
  const fields = fieldsOf(file);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** The fields of a `stat` file after the name, which may hold blanks and brackets. */
function fieldsOf(file: string): string[] {
  return read(file)
    .replace(/^.*\) /s, "")
    .split(" ");
}

function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(fieldsOf(`/proc/${name}/stat`)[1]));
  }
  const tree = [pid];
  for (let at = 0; at < tree.length; at += 1)
    for (const [child, parent] of parents) if (parent === tree[at]) tree.push(child);
  return tree;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It ended meanwhile.
    return "";
  }
}
