import { pino, type Logger } from "pino";

export type Log = Logger;

/** A line waits at most so long for others to be written with. */
const GATHER_MS = 20;

/** Takes one line at a time, for whoever shows lines in another form. */
export interface LineSink {
  write(line: string): void;
}

/** The service's log: one JSON line an event on stdout, written off the request path and several at a time. */
export function createLog(level: string, destination: string | number | LineSink = 1): Log & { flushNow(): void } {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" };
  if (typeof destination === "object") return Object.assign(pino(options, destination), { flushNow: () => {} });
  // Not synchronous: a reader of the pipe that stalls must not stall the service. `flushNow` is for the last line.
  const stream = pino.destination({ dest: destination, sync: false });
  const gathered: string[] = [];

  function writeGathered(): void {
    const lines = gathered.splice(0);
    if (lines.length > 0) quietly(() => stream.write(lines.join("")));
  }

  function flushNow(): void {
    writeGathered();
    quietly(() => stream.flushSync());
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
  return Object.assign(log, { flushNow });
}

function quietly(write: () => void): void {
  try {
    write();
  } catch {
    // There is nowhere left to say so.
  }
}
