import { totalmem } from "node:os";

export interface FunctionCapacity {
  /** The most processes that serve organizations at once, and so the most organizations with running functions. */
  readonly processes: number;
  /** The resident memory in MiB above which a process is killed, if its functions may use 64 MB each. */
  readonly memoryMb: number;
  /** The most simultaneous runs in one process. */
  readonly runsPerProcess: number;
}

const MIB = 1_048_576;
/** Memory that the service itself may need under load; at most half of a container of less than 1 GiB. */
const SERVICE_MB = 512;
/** Memory of a process without runs. */
const EMPTY_PROCESS_MB = 64;
/** Enough for 64 runs that wait for sources. */
const MEMORY_MOST_MB = 320;
/** Enough for an empty process and a function that uses its whole 64 MB, with V8's uncollected garbage. */
const MEMORY_LEAST_MB = 160;
const PROCESSES_LEAST = 2;
/** More processes would exhaust the processors before the memory. */
const PROCESSES_MOST = 16;
/** Memory of an isolate whose run waits for a source. */
const MB_PER_RUN = 4;

/** The memory that this process and its children may use: the limit of the container, or the memory of the machine. */
export function availableBytes(): number {
  // Without a limit, the value is 0 or larger than any machine's memory.
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}

/**
 * Divides the memory that the service leaves among processes for functions. All of them can reach their limits at the
 * same time, except in a container of less than 770 MiB, or if the operator sets more processes than the memory is
 * enough for.
 *
 * @param processes the number that the operator has set; 0: as many as the memory is enough for
 */
export function functionCapacity(bytes: number, processes = 0): FunctionCapacity {
  const allMb = bytes / MIB;
  const forFunctionsMb = allMb - Math.min(SERVICE_MB, allMb / 2) - EMPTY_PROCESS_MB;
  const count =
    processes > 0 ? processes : within(PROCESSES_LEAST, Math.floor(forFunctionsMb / MEMORY_MOST_MB), PROCESSES_MOST);
  const memoryMb = within(MEMORY_LEAST_MB, Math.floor(forFunctionsMb / count), MEMORY_MOST_MB);
  return { processes: count, memoryMb, runsPerProcess: Math.floor((memoryMb - EMPTY_PROCESS_MB) / MB_PER_RUN) };
}

function within(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
