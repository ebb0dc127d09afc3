import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** CPU seconds, user and system, and resident memory of a process and all below it, from /proc. */
export function usageOf(pid: number): { readonly cpuSeconds: number; readonly rssMib: number } {
  let ticks = 0;
  let pages = 0;
  for (const member of treeOf(pid)) {
    try {
      const fields = readFileSync(`/proc/${member}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
      pages += Number(readFileSync(`/proc/${member}/statm`, "utf8").split(" ")[1]);
    } catch {
      // It ended meanwhile.
    }
  }
  return { cpuSeconds: ticks / TICKS_PER_SECOND, rssMib: (pages * 4096) / 1024 / 1024 };
}

function treeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const tree = [pid];
  for (let at = 0; at < tree.length; at += 1)
    for (const [child, parent] of parents) if (parent === tree[at]) tree.push(child);
  return tree;
}
