import { pino, type Logger } from "pino";
import { openLogOutput } from "./log-output.ts";

export type Log = Logger;

/** The log of a service, with operations on the whole log. */
export interface ServiceLog extends Logger {
  /** Writes pending lines, as far as that is possible without waiting. */
  flushNow(): void;
  /** Resolves when all lines are written, or after that time, so that a stalled reader delays nothing for longer. */
  written(withinMs: number): Promise<void>;
  /** Lines that were dropped because the reader was too slow. */
  readonly droppedLines: () => number;
}

/** The longest time that a line waits to be written together with others. */
const GATHER_MS = 20;

/** Receives one line at a time, to show it in another form. */
export interface LineSink {
  write(line: string): void;
}

/** The service's log: one JSON line per event on stdout, written in batches and not during the request. */
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
  // Lines that were logged are not lost, whatever ends the process.
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
