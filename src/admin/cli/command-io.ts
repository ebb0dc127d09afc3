import type { Readable, Writable } from "node:stream";
import { usage } from "./parse-command.ts";

/** The streams and the environment of one command; the process's own, or a test's. */
export interface CommandIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Calls back when the person interrupts the command, which then ends. Call the returned function to stop listening.
   */
  readonly onInterrupt?: (interrupted: () => void) => () => void;
  /** Replaces the program's name in the commands of a text by how a person starts it here. */
  readonly typed?: (text: string) => string;
}

export function typedText(text: string, { typed }: Pick<CommandIo, "typed">): string {
  return typed?.(text) ?? text;
}

/**
 * Writes a text and resolves when it is written. A reader that has closed the stream is not a failure: the command has
 * done its work.
 */
export function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      if (error === null || error === undefined || isGone(error)) resolve();
      else reject(error);
    };
    stream.once("error", settle);
    stream.write(text, (error) => {
      settle(error);
      // The event comes after the callback. Without a listener it would end the process.
      setImmediate(() => stream.removeListener("error", settle));
    });
  });
}

function isGone(error: Error): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED";
}

/** All of standard input. @throws OperatorError `usage` if it is larger */
export async function readStdin(stdin: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Uint8Array | string);
    bytes += part.length;
    if (bytes > bytesMax) throw usage(`Standard input has more than ${bytesMax} bytes.`);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
