import { styleText } from "node:util";
import { printableJson, printableLines } from "../../terms/text/printable.ts";
import { reportError } from "../report-error.ts";
import { type CommandIo, typedText, write } from "./command-io.ts";
import { RemoteDefect } from "./remote/read-answer.ts";
import { COMMAND_VARIABLES } from "../../terms/variables.ts";

/** Exit codes: 0 done, 1 failed, 2 usage error. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Prints why a command failed, and returns the exit code. */
export async function reportFailure(thrown: unknown, io: CommandIo, json: boolean): Promise<number> {
  const { code, message } = toReport(thrown, io);
  if (json) await write(io.stdout, `${printableJson({ error: { code, message } })}\n`);
  await write(io.stderr, `${inRed(printableLines(typedText(message.trimEnd(), io)), io)}\n`);
  return code === "usage" ? EXIT.usage : EXIT.failed;
}

/**
 * Colours the first line red if standard error shows colours: `NO_COLOR` and `FORCE_COLOR` decide, then whether it is a
 * terminal. Standard output never has colours, so that it is the same everywhere.
 */
function inRed(message: string, { stderr }: CommandIo): string {
  const [first = "", ...others] = message.split("\n");
  return [styleText("red", first, { stream: stderr }), ...others].join("\n");
}

/** Adds the stack trace of an unexpected error if the debug variable is set. */
function toReport(thrown: unknown, { env }: CommandIo): { readonly code: string; readonly message: string } {
  if (thrown instanceof RemoteDefect) return { code: "internal", message: thrown.message };
  const { code, message } = reportError(thrown);
  if (code !== "internal") return { code, message };
  const details = env[COMMAND_VARIABLES.debug] === "1" && thrown instanceof Error ? `\n${thrown.stack}` : "";
  return { code, message: `${message}${details || ` Set ${COMMAND_VARIABLES.debug}=1 to see where.`}` };
}
