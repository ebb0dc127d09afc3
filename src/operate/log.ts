import { pino, type Logger } from "pino";
import { printableJsonText } from "../terms/text/printable.ts";
import { openLogOutput } from "./log-output.ts";

export type Log = Logger;

/** The log of a service, with operations on the whole log. */
export interface ServiceLog extends Logger {
  /** Writes pending lines as far as possible without waiting. */
  flushNow(): void;
  /** Resolves when all lines are written, or after `withinMs`, so that a stalled reader causes only a bounded delay. */
  written(withinMs: number): Promise<void>;
  /** Lines that were dropped because the reader was too slow. */
  readonly droppedLines: () => number;
}

/**
 * Characters that are written together. Far below the limit of waiting bytes, so that a flood is dropped only above
 * that limit.
 */
const PART_CHARS = 64 * 1024;

function* partsOf(lines: readonly string[]): Generator<readonly string[]> {
  let from = 0;
  let chars = 0;
  for (let at = 0; at < lines.length; at += 1) {
    chars += lines[at]!.length;
    if (chars < PART_CHARS && at < lines.length - 1) continue;
    yield lines.slice(from, at + 1);
    from = at + 1;
    chars = 0;
  }
}

/** The longest time that a line is buffered. */
const GATHER_MS = 20;

/**
 * Equal to pino's `isoTime`, but formats the time once for all lines of a millisecond. Formatting is a third of the
 * cost of a line.
 */
function makeTimestamp(): () => string {
  let wallAt = Number.NaN;
  let text = "";
  return () => {
    const now = Date.now();
    if (now !== wallAt) [wallAt, text] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return text;
  };
}

/** Receives single lines, to display them in another form. */
export interface LineSink {
  write(line: string): void;
}

/** The log of the service: one JSON line per event on stdout, written in batches and not during the request. */
export function createLog(level: string, destination: string | number | LineSink = 1): ServiceLog {
  const options = { level, base: null, timestamp: makeTimestamp(), messageKey: "message" };
  if (typeof destination === "object") {
    const log = pino(options, destination);
    return Object.assign(log, { flushNow: () => {}, written: async () => {}, droppedLines: () => 0 });
  }
  const output = openLogOutput(destination, onWritten);
  let gathered: string[] = [];
  let dropped = 0;
  let toldDropped = 0;

  function writeGathered(): void {
    const lines = gathered;
    gathered = [];
    for (const part of partsOf(lines)) if (!output.write(printableJsonText(part.join("")))) dropped += part.length;
  }

  function flushNow(): void {
    writeGathered();
    output.flush();
  }

  /** The buffer has space again. This line is written alone, so that it is not dropped together with later ones. */
  function onWritten(): void {
    if (dropped === toldDropped) return;
    const following = gathered;
    gathered = [];
    log.warn({ event: "log_lines_dropped", lines: dropped - toldDropped }, "the reader of the log was too slow");
    toldDropped = dropped;
    writeGathered();
    gathered = following;
  }

  const gathering = {
    write(line: string): void {
      gathered.push(line);
      // The timer runs only while lines are buffered.
      if (gathered.length === 1) setTimeout(writeGathered, GATHER_MS).unref();
    },
  };
  // Logged lines are written whatever ends the process.
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
