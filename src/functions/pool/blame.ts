import type { FunctionsLog } from "../ports.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";
import type { HostProcess } from "./host-process.ts";

/**
 * Who is struck and who is suspected. Struck is only whom a fact names: a thread that does not leave, an isolate that V8
 * gave up, memory that was measured, a death with nobody else in the process. What has ended is never blamed.
 */
export class Blame {
  readonly #quarantine: Quarantine;
  readonly #log: FunctionsLog;
  readonly #struck = new WeakSet<Running>();

  constructor(quarantine: Quarantine, log: FunctionsLog) {
    this.#quarantine = quarantine;
    this.#log = log;
  }

  /** Once a run, whatever comes of it. */
  strikeRun(running: Running): void {
    if (this.#struck.has(running)) return;
    this.#struck.add(running);
    this.strike(running.job.isolate);
  }

  strike(isolate: string): void {
    if (this.#quarantine.strike(isolate)) this.#log.error({ event: "function_quarantined", isolate });
  }

  /** A process had to be killed because this run held most of it and would not leave. Alone, it is a fact. */
  named(host: HostProcess, running: Running): void {
    host.blamed.add(running.job.isolate);
    if (host.apart?.exclusive === true) this.strikeRun(running);
    else this.suspect([running]);
  }

  suspect(runs: Iterable<Running>): void {
    for (const running of runs) this.#quarantine.suspect(running.job.isolate);
  }

  /**
   * A process died by itself, with these runs in it. From outside comes only SIGKILL, most often from a kernel without
   * memory, which chooses by size and not by fault: it says something of a run that was there alone because of an earlier
   * death, and of no other.
   */
  ofDeath(host: HostProcess, how: string): void {
    if (host.blameSettled) return;
    const present = new Set([...host.runs.values()].map((running) => running.job.isolate));
    const [only] = present;
    const exact = present.size === 1 && (how !== "SIGKILL" || host.apart?.exclusive === true);
    if (only !== undefined && exact) {
      host.blamed.add(only);
      this.strike(only);
    } else this.suspect(host.runs.values());
  }
}
