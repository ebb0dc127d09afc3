import { pino, type Logger } from "pino";

export type Log = Logger;

/** The service's log: one JSON line an event on stdout, written off the request path. */
export function createLog(level: string, destination: string | number = 1): Log & { flushNow(): void } {
  // Not synchronous: a reader of the pipe that stalls must not stall the service. `flushNow` is for the last line.
  const stream = pino.destination({ dest: destination, sync: false });
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" }, stream);
  return Object.assign(log, {
    flushNow() {
      try {
        stream.flushSync();
      } catch {
        // Nobody reads any more.
      }
    },
  });
}
