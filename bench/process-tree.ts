import { readdirSync, readFileSync } from "node:fs";

/** CPU time of one run, or of one process so far. `engine`: V8's helpers, for garbage and compiling. */
export interface CpuTimes {
  readonly main: number;
  readonly journal: number;
  readonly engine: number;
  /** All other threads, and all child processes. */
  readonly others: number;
}

/** What the threads of a process, and of all below it, have used so far. */
export type ThreadTimes = ReadonlyMap<string, { readonly part: keyof CpuTimes; readonly nanoseconds: number }>;

/** Names that threads give themselves. */
const PARTS: Readonly<Record<string, keyof CpuTimes>> = { journal: "journal", V8Worker: "engine" };

/** @throws where the kernel does not count them */
export function threadTimesOf(pid: number): ThreadTimes {
  const times = new Map<string, { part: keyof CpuTimes; nanoseconds: number }>();
  for (const member of treeOf(pid)) {
    for (const thread of list(`/proc/${member}/task`)) {
      const folder = `/proc/${member}/task/${thread}`;
      const named = PARTS[read(`${folder}/comm`).trim()] ?? "others";
      const part = member !== pid ? "others" : Number(thread) === pid ? "main" : named;
      times.set(`${member} ${thread}`, { part, nanoseconds: Number(read(`${folder}/schedstat`).split(" ")[0]) });
    }
  }
  if (!(times.get(`${pid} ${pid}`)!.nanoseconds > 0)) throw new Error("this kernel does not count the time of threads");
  return times;
}

/** Microseconds between the two, for each of so many runs. A thread that ended meanwhile is not counted. */
export function cpuMicros(before: ThreadTimes, after: ThreadTimes, runs: number): CpuTimes {
  const micros = { main: 0, journal: 0, engine: 0, others: 0 };
  for (const [thread, { part, nanoseconds }] of after)
    micros[part] += (nanoseconds - (before.get(thread)?.nanoseconds ?? 0)) / 1000 / runs;
  return micros;
}

export interface Memory {
  /** Of the process itself, resident. */
  readonly mainMib: number;
  /** With all processes below it. Pages that they share are counted for each. */
  readonly treeMib: number;
}

export function memoryOf(pid: number): Memory {
  const mib = (member: number) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${member}/status`))?.[1] ?? 0) / 1024;
  const mainMib = mib(pid);
  const others = treeOf(pid).filter((member) => member !== pid);
  return { mainMib, treeMib: others.reduce((sum, member) => sum + mib(member), mainMib) };
}

function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of list("/proc")) if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name));
  const tree = [pid];
  for (let at = 0; at < tree.length; at += 1)
    for (const [child, parent] of parents) if (parent === tree[at]) tree.push(child);
  return tree;
}

/** The name of a process, before its parent in the file, may hold blanks and brackets. */
function parentOf(pid: string): number {
  return Number(
    read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ")[1],
  );
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It ended meanwhile.
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
