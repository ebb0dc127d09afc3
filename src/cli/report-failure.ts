import { styleText } from "node:util";
import { Fault } from "../terms/fault.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { printable } from "../terms/printable.ts";
import { type CommandIo, write } from "./command-io.ts";

/** How a command ends: 0 done, 1 failed, 2 not understood. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Prints why a command failed, and returns the exit code. */
export async function reportFailure(thrown: unknown, io: CommandIo, json: boolean): Promise<number> {
  const { code, message } = toReport(thrown, io);
  if (json) await write(io.stdout, `${JSON.stringify({ error: { code, message } })}\n`);
  await write(io.stderr, `${inRed(message.trimEnd(), io)}\n`);
  return code === "usage" ? EXIT.usage : EXIT.failed;
}

/**
 * Its first line, where standard error shows colours: `NO_COLOR` and `FORCE_COLOR` decide, then whether it is a terminal.
 * Standard output has no colours, so that it is the same everywhere.
 */
function inRed(message: string, { stderr }: CommandIo): string {
  const [first = "", ...others] = message.split("\n");
  return [styleText("red", first, { stream: stderr }), ...others].join("\n");
}

/** The operating system names the file and what is wrong with it, and nothing else. */
function isOfFiles(thrown: unknown): thrown is NodeJS.ErrnoException {
  if (!(thrown instanceof Error)) return false;
  const { errno, syscall, path } = thrown as NodeJS.ErrnoException;
  return typeof errno === "number" && syscall !== undefined && path !== undefined;
}

function toReport(thrown: unknown, { env }: CommandIo): { readonly code: string; readonly message: string } {
  if (thrown instanceof OperatorError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof Fault) return { code: thrown.row.kind, message: thrown.says };
  if (isOfFiles(thrown)) return { code: "unavailable", message: `${printable(thrown.message)}.` };
  // The text of an unexpected error may contain secrets, so it is shown only on request.
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  const details = env["DATARUN_DEBUG"] === "1" && thrown instanceof Error ? `\n${thrown.stack}` : "";
  return {
    code: "internal",
    message: `The command failed unexpectedly (${name}).${details || ` Set DATARUN_DEBUG=1 to see where.`}`,
  };
}
