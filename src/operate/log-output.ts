import { fstatSync } from "node:fs";
import type { Writable } from "node:stream";
import { pino } from "pino";

/** Bytes that may wait for the reader, about ten thousand lines of runs. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

/** The destination of log lines. */
export interface LogOutput {
  /** Returns false if too many bytes are waiting. The lines are dropped then. */
  write(lines: string): boolean;
  /** Writes as much as possible without waiting. */
  flush(): void;
  written(withinMs: number): Promise<void>;
}

/**
 * Opens the destination of a log. A reader that stalls costs only a bounded buffer. A pipe is written without a thread,
 * because a thread that waits for the reader would keep the process from exiting.
 * @param onWritten called when all waiting bytes are written
 */
export function openLogOutput(destination: string | number, onWritten: () => void): LogOutput {
  const stream = typeof destination === "number" && isPipe(destination) ? STANDARD[destination]?.() : undefined;
  return stream === undefined ? openFile(destination, onWritten) : toPipe(stream, onWritten);
}

/** Node's own streams: two streams on one descriptor would take each other's readiness events. */
const STANDARD: Readonly<Record<number, () => Writable>> = { 1: () => process.stdout, 2: () => process.stderr };

function isPipe(descriptor: number): boolean {
  const stat = fstatSync(descriptor);
  return stat.isFIFO() || stat.isSocket();
}

function toPipe(stream: Writable, onWritten: () => void): LogOutput {
  let isGone = false;
  // The reader is gone, and there is no other place to report it.
  stream.on("error", () => (isGone = true));
  stream.on("drain", onWritten);
  return {
    write(lines) {
      const bytes = Buffer.from(lines);
      if (isGone || stream.writableLength + bytes.length > WAITING_BYTES_MAX) return false;
      stream.write(bytes);
      return true;
    },
    flush() {},
    written: async (withinMs) => {
      if (!isGone && stream.writableLength > 0) await drained(stream, withinMs);
    },
  };
}

/** Writes to a file or a terminal. */
function openFile(destination: string | number, onWritten: () => void): LogOutput {
  const stream = pino.destination({ dest: destination, sync: false, maxLength: WAITING_BYTES_MAX });
  let wasDropped = false;
  /** Also while a write is in progress, which `flushSync` does not wait for. */
  let isWriting = false;
  stream.on("drop", () => (wasDropped = true));
  stream.on("drain", () => {
    isWriting = false;
    onWritten();
  });
  const flush = () => quietly(() => stream.flushSync());
  return {
    write(lines) {
      wasDropped = false;
      isWriting = true;
      quietly(() => stream.write(lines));
      return !wasDropped;
    },
    flush,
    written: async (withinMs) => {
      if (isWriting) await drained(stream, withinMs);
    },
  };
}

function drained(stream: NodeJS.EventEmitter, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, withinMs);
    stream.once("drain", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function quietly(write: () => void): void {
  try {
    write();
  } catch {
    // There is no other place to report it.
  }
}
