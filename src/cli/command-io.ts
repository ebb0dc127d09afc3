import type { Readable, Writable } from "node:stream";

/** The streams and the environment of one command; the process's own, or a test's. */
export interface CommandIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Writes and waits until it is written. A reader that has gone away is no failure: what the command did is done, whoever
 * stopped listening.
 */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      if (error === null || error === undefined || isGone(error)) resolve();
      else reject(error);
    };
    stream.once("error", settle);
    stream.write(text, (error) => {
      settle(error);
      // The event comes after the callback, and unheard it would end the process.
      setImmediate(() => stream.removeListener("error", settle));
    });
  });
}

function isGone(error: Error): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED";
}
