import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import type { Terminal } from "../../drafting/ports.ts";
import { printableLines } from "../../terms/text/printable.ts";
import { type CommandIo, readStdin } from "./command-io.ts";

const STDIN_BYTES_MAX = 10_485_760;

/**
 * Writes questions to standard error, so that standard output has only the result. Reads nothing before the first
 * question.
 */
export function openTerminal({ stdin, stderr }: CommandIo): Terminal & { close(): void } {
  const interactive = (stdin as Readable & { isTTY?: boolean }).isTTY === true;
  let lines: AsyncIterator<string> | undefined;
  let opened: Interface | undefined;
  return {
    interactive,

    async ask(question) {
      // The question may quote a name that another person chose.
      stderr.write(printableLines(question));
      if (lines === undefined) {
        opened = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
        lines = opened[Symbol.asyncIterator]();
      }
      const { done, value } = await lines.next();
      return done === true ? null : value;
    },

    async readAll() {
      return (await readStdin(stdin, STDIN_BYTES_MAX)).toString("utf8");
    },

    close: () => opened?.close(),
  };
}
