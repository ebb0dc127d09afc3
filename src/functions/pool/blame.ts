import type { FunctionsLog } from "../ports.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";
import type { HostProcess } from "./host-process.ts";

/**
 * Decides which function gets a strike and which is only suspected. A strike needs a fact: a thread that does not
 * leave, an isolate that V8 gave up, measured memory, or a death with no other function in the process. A run that has
 * ended is never blamed.
 */
export class Blame {
  readonly #quarantine: Quarantine;
  readonly #log: FunctionsLog;
  readonly #struck = new WeakSet<Running>();

  constructor(quarantine: Quarantine, log: FunctionsLog) {
    this.#quarantine = quarantine;
    this.#log = log;
  }

  /** At most once per run. */
  strikeRun(running: Running): void {
    if (this.#struck.has(running)) return;
    this.#struck.add(running);
    this.strike(running.job.isolate);
  }

  strike(isolate: string): void {
    if (this.#quarantine.strike(isolate)) this.#log.error({ event: "function_quarantined", isolate });
  }

  /**
   * A process had to be killed because this run held most of its memory and would not end. If it was alone there, this
   * is a fact.
   */
  named(host: HostProcess, running: Running): void {
    host.blamed.add(running.job.isolate);
    if (host.apart?.exclusive === true) this.strikeRun(running);
    else this.suspect([running]);
  }

  suspect(runs: Iterable<Running>): void {
    for (const running of runs) this.#quarantine.suspect(running.job.isolate);
  }

  /**
   * A process died by itself, with these runs in it. Only SIGKILL can come from outside, usually from a kernel that is
   * out of memory, which chooses by size and not by fault. So it counts only against a run that was alone because of an
   * earlier death.
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
