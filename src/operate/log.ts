import { pino, type Logger } from "pino";
import { openLogOutput } from "./log-output.ts";

export type Log = Logger;

/** The log of a service, and what is done with it as a whole. */
export interface ServiceLog extends Logger {
  /** Hands over what was said so far, as far as that is possible at once. */
  flushNow(): void;
  /** Resolves when all that was said has been written, or after that time: a reader that has stalled stops nothing. */
  written(withinMs: number): Promise<void>;
  /** Lines that nobody will read, because their reader was too slow. */
  readonly droppedLines: () => number;
}

/** A line waits at most so long for others to be written with. */
const GATHER_MS = 20;

/** Takes one line at a time, for whoever shows lines in another form. */
export interface LineSink {
  write(line: string): void;
}

/** The service's log: one JSON line an event on stdout, written off the request path and several at a time. */
export function createLog(level: string, destination: string | number | LineSink = 1): ServiceLog {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" };
  if (typeof destination === "object") {
    const log = pino(options, destination);
    return Object.assign(log, { flushNow: () => {}, written: async () => {}, droppedLines: () => 0 });
  }
  const output = openLogOutput(destination, goesOn);
  let gathered: string[] = [];
  let dropped = 0;
  let toldDropped = 0;

  function writeGathered(): void {
    const lines = gathered;
    gathered = [];
    if (lines.length > 0 && !output.write(lines.join(""))) dropped += lines.length;
  }

  function flushNow(): void {
    writeGathered();
    output.flush();
  }

  /** The reader has caught up. */
  function goesOn(): void {
    if (dropped === toldDropped) return;
    log.warn({ event: "log_lines_dropped", lines: dropped - toldDropped }, "the reader of the log was too slow");
    toldDropped = dropped;
  }

  const gathering = {
    write(line: string): void {
      gathered.push(line);
      // A timer only while there is something to write.
      if (gathered.length === 1) setTimeout(writeGathered, GATHER_MS).unref();
    },
  };
  // Whatever ends the process, what was said before is not lost with it.
  process.once("exit", flushNow);
  const log = pino(options, gathering);
  return Object.assign(log, {
    flushNow,
    droppedLines: () => dropped,
    async written(withinMs: number) {
      flushNow();
      await output.written(withinMs);
    },
  });
}
