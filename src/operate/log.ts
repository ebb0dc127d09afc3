import { pino, type Logger } from "pino";

export type Log = Logger;

/** Takes one line at a time, for whoever shows lines in another form. */
export interface LineSink {
  write(line: string): void;
}

/** The service's log: one JSON line an event on stdout, written off the request path. */
export function createLog(level: string, destination: string | number | LineSink = 1): Log & { flushNow(): void } {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" };
  if (typeof destination === "object") return Object.assign(pino(options, destination), { flushNow: () => {} });
  // Not synchronous: a reader of the pipe that stalls must not stall the service. `flushNow` is for the last line.
  const stream = pino.destination({ dest: destination, sync: false });
  const log = pino(options, stream);
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
