import { fileURLToPath } from "node:url";
import { ConfigError } from "../../settings/read-settings.ts";
import { RootKeyError } from "../../credentials/root-key.ts";
import { LedgerInUse } from "../../ledger/journal/directory-lock.ts";
import { BrokenProject } from "../../project/open-catalogs.ts";
import { LoadError } from "../../terms/load-error.ts";
import { StoreRefused } from "../../storage/store.ts";
import { printableLines } from "../../terms/text/printable.ts";

/** Describes to the operator why a command could not start; with a stack trace if the error is unexpected. */
export function reasonOf(error: unknown): string {
  // File names and errors of loaded files may contain control characters.
  return printableLines(textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof BrokenProject)
    return `these files cannot be used:\n${error.problems.map(({ message }) => `  ${message}`).join("\n")}`;
  const known = [ConfigError, RootKeyError, LedgerInUse, LoadError, StoreRefused].some((kind) => error instanceof kind);
  if (known) return (error as Error).message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `${message}. Choose another with --port or --admin-port.`;
  return isOfSystem(error) ? message : (stack ?? String(error));
}

/** The operating system's message has the failed call, its object and the cause, so a stack trace adds nothing. */
function isOfSystem(error: unknown): boolean {
  const { errno, syscall } = error as NodeJS.ErrnoException;
  return error instanceof Error && typeof errno === "number" && syscall !== undefined;
}

/** The position in an author's file where an error was thrown, if the stack has it, and the message. */
export function messageWithLocation(thrown: unknown): string {
  if (!(thrown instanceof Error)) return printableLines(String(thrown));
  const [, url, line, column] = /(file:\/\/[^\s)?]+)(?:\?[^\s:)]*)?:(\d+):(\d+)/.exec(thrown.stack ?? "") ?? [];
  return printableLines(`${url === undefined ? "" : `${fileURLToPath(url)}:${line}:${column}: `}${thrown.message}`);
}
