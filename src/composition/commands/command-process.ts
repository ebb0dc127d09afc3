import { type CommandIo, write } from "../../admin/cli/command-io.ts";
import { reportFailure } from "../../admin/cli/report-failure.ts";
import { asTyped } from "../../admin/cli/typed-commands.ts";
import { printableJson, printableLines } from "../../terms/text/printable.ts";

/** What a command prints, and its exit code. */
export interface CommandOutcome {
  /** Printed with `--json`. */
  readonly result: object;
  readonly text: string;
  readonly code: number;
}

/**
 * Does the work of a command, prints its outcome or why it failed, and ends the process: handles that loaded files left
 * open would keep it alive.
 */
export async function runToEnd(
  work: (io: CommandIo) => Promise<CommandOutcome>,
  json: boolean,
  program: () => string,
): Promise<never> {
  const exit = replaceExit();
  const { stdin, stdout, stderr, env } = process;
  const io = { stdin, stdout, stderr, env, typed: (text: string) => asTyped(text, program) };
  try {
    const { result, text, code } = await work(io);
    await write(stdout, json ? `${printableJson(result)}\n` : printableLines(text));
    return exit(code);
  } catch (thrown) {
    return exit(await reportFailure(thrown, io, json));
  }
}

/**
 * Replaces `process.exit` for sources and the libraries that they use. A call throws, so it fails only the file being
 * loaded or the current call, and not every run. Returns the real `exit` for the command.
 */
export function replaceExit(): (code: number) => never {
  const exit = process.exit.bind(process);
  process.exit = refuse;
  return exit;
}

function refuse(): never {
  throw new Error("process.exit was called; only the command ends this process");
}

/** Calls back with each error that nothing handled, which would otherwise end the process. */
export function onStrayError(report: (thrown: unknown) => void): void {
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}

/** Calls back when a signal asks the process to stop. */
export function onStopSignal(stop: () => void): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
}

/**
 * Listens to the launcher that started this service. Calls `asked` when the launcher requests a stop, and `gone` when
 * the launcher has ended.
 */
export function listenToLauncher(asked: () => void, gone: () => void): void {
  const fd = Number(process.env["DATARUN_LIFELINE_FD"]);
  delete process.env["DATARUN_LIFELINE_FD"];
  if (!Number.isInteger(fd) || fd < 3) return;
  void import("node:net").then(({ Socket }) => {
    const line = new Socket({ fd, readable: true, writable: false });
    line.on("data", (text) => text.toString().split("\n").slice(1).forEach(asked));
    line.on("close", gone).on("error", () => {});
    line.resume().unref();
  });
}
