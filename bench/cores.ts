import { spawnSync } from "node:child_process";
import { setPriority } from "node:os";

export interface Cores {
  /** Put before the command of a peer. */
  readonly peerPrefix: readonly string[];
  readonly says: string;
}

/**
 * Gives peers a core of their own: moves this process, which makes the load, with all it starts later, to the others.
 * Where that cannot be done everything shares all cores.
 */
export function divideCores(): Cores {
  const cores = allowedCores();
  if (cores.length < 2) return { peerPrefix: [], says: "not pinned: no `taskset`, or one core only" };
  const [own, ...rest] = cores as [number, ...number[]];
  if (!moveThisProcess(rest)) return { peerPrefix: [], says: "not pinned: `taskset` was refused" };
  const { peerPrefix, says } = priority();
  return {
    peerPrefix: [...peerPrefix, "taskset", "-c", String(own)],
    says: `the peer on core ${own}, vendors and load on core ${rest.join(", ")}; ${says}`,
  };
}

const TRIES = 5;

/** `taskset` moves one thread after the other, and fails if one of them has ended meanwhile. */
function moveThisProcess(cores: readonly number[]): boolean {
  const move = () => spawnSync("taskset", ["-a", "-c", "-p", cores.join(","), String(process.pid)]).status === 0;
  return Array.from({ length: TRIES }).some(move);
}

/** Before the neighbours on a shared machine, where that is allowed. */
function priority(): Cores {
  try {
    setPriority(-10);
    return { peerPrefix: [], says: "priority raised" };
  } catch {
    return { peerPrefix: [], says: "usual priority" };
  }
}

function allowedCores(): number[] {
  const { status, stdout } = spawnSync("taskset", ["-c", "-p", String(process.pid)], { encoding: "utf8" });
  if (status !== 0) return [];
  const list = stdout.slice(stdout.lastIndexOf(":") + 1).trim();
  return list.split(",").flatMap((range) => {
    const [first, last] = range.split("-").map(Number) as [number, number?];
    return Array.from({ length: (last ?? first) - first + 1 }, (_, at) => first + at);
  });
}
